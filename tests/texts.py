"""The YAML files that tests read, each once."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

CORPUS = Path(__file__).parent / "corpus"


@cache
def read_yaml(file: Path) -> Any:
    """What a file says. It is shared: change nothing in it."""
    return yaml.load(file.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@cache
def entries() -> list[dict[str, Any]]:
    """The entries of the shared corpus: fields, rows, and expressions with the answer for each row."""
    return [entry for file in sorted(CORPUS.glob("*.yml")) for entry in read_yaml(file)]


def tables_of(module: str, name: str | None = None) -> dict[str, dict[str, list[str]]]:
    """The tables of texts in a file beside a module (its `__file__`), by table and kind: a kind is a list,
    or a block with one text a line. The file has the module's name unless one is given.
    """
    content = read_yaml(Path(module).with_name(f"{name or Path(module).stem}.yml"))
    return {
        table: {
            kind: texts.splitlines() if isinstance(texts, str) else texts for kind, texts in kinds.items()
        }
        for table, kinds in content.items()
    }
