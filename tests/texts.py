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
