"""The SQL dialect of files: what a configuration says, or else the one that reads most of them."""

import configparser
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from sqlglot import Dialects, exp

from predicat.discover.read.statements import statements

# The dialects that are tried, those that most repositories have first.
TRIED = (
    "postgres",
    "snowflake",
    "bigquery",
    "spark",
    "trino",
    "duckdb",
    "redshift",
    "mysql",
    "tsql",
    "clickhouse",
)
# Names of adapters of dbt and of dialects of sqlfluff that sqlglot calls otherwise.
_ADAPTERS = {
    "sparksql": "spark",
    "ansi": "",
    "athena": "athena",
    "synapse": "tsql",
    "fabric": "tsql",
    "sqlserver": "tsql",
}
# Files that are tried.
MAX_SAMPLE = 40
# Bytes of a configuration file, at most; a larger one is ignored.
_MAX_SIZE = 1_000_000


def known(name: str) -> str | None:
    """Sqlglot's name of a dialect; None if it has none."""
    dialect = _ADAPTERS.get(name.lower(), name.lower())
    return dialect if dialect in names() else None


def names() -> list[str]:
    """The dialects that sqlglot reads."""
    return [dialect.value for dialect in Dialects]


class Configured:
    """The dialect that configurations give a folder."""

    def __init__(self) -> None:
        self.folders: dict[Path, str | None] = {}

    def of(self, folder: Path, root: Path) -> str | None:
        """The dialect of a folder, by the nearest configuration up to `root`."""
        if folder not in self.folders:
            dialect = _configured(folder)
            if dialect is None and folder != root and root in folder.parents:
                dialect = self.of(folder.parent, root)
            self.folders[folder] = dialect
        return self.folders[folder]


def _configured(folder: Path) -> str | None:
    """What the configuration in one folder says."""
    for name, read in _READERS.items():
        file = folder / name
        if not file.is_file() or file.stat().st_size > _MAX_SIZE:
            continue
        try:
            configured = read(file)
        except (OSError, ValueError, configparser.Error, yaml.YAMLError, RecursionError):
            continue
        if configured and (dialect := known(configured)) is not None:
            return dialect
    return None


def _project(file: Path) -> str:
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    return str(_at(data, "discover", "dialect") or "")


def _sqlfluff(file: Path) -> str:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read(file, encoding="utf-8")
    return parser.get("sqlfluff", "dialect", fallback="")


def _pyproject(file: Path) -> str:
    return str(
        _at(tomllib.loads(file.read_text(encoding="utf-8")), "tool", "sqlfluff", "core", "dialect") or ""
    )


def _dbt(file: Path) -> str:
    """The adapter of a project's profile, if the profiles are in its folder."""
    project = yaml.safe_load(file.read_text(encoding="utf-8"))
    profiles = file.with_name("profiles.yml")
    if not profiles.is_file():
        return ""
    profile = _at(yaml.safe_load(profiles.read_text(encoding="utf-8")), str(_at(project, "profile")))
    outputs: dict[str, Any] = _at(profile, "outputs") or {}
    chosen = outputs.get(_at(profile, "target")) or next(iter(outputs.values()), None)
    return str(_at(chosen, "type") or "")


def _at(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


# The configurations that name a dialect, by their files; the first that says one counts.
_READERS = {
    "predicat.yml": _project,
    "dbt_project.yml": _dbt,
    ".sqlfluff": _sqlfluff,
    "pyproject.toml": _pyproject,
    "setup.cfg": _sqlfluff,
    "tox.ini": _sqlfluff,
}
# The files that name a dialect.
CONFIGURATIONS = frozenset(_READERS)


def tried(texts: Iterable[str], dialects: Iterable[str] = TRIED) -> str:
    """The dialect that parses most of the texts, and knows most of their functions."""
    sample = list(texts)
    scores = {dialect: _sum_of(score(text, dialect) for text in sample) for dialect in dialects}
    return max(scores, key=lambda name: scores[name])


def _sum_of(scores: Iterable[tuple[int, int, int]]) -> tuple[int, int, int]:
    """The sums of scores, place by place."""
    rows = list(scores)
    return sum(score[0] for score in rows), sum(score[1] for score in rows), sum(score[2] for score in rows)


def score(text: str, dialect: str) -> tuple[int, int, int]:
    """How well a dialect reads a text: whether all of it, what cannot be parsed, what it does not know. A
    table whose own name has dots was quoted with its project, as BigQuery does.
    """
    read = statements(text, dialect)
    if read is None:
        return 0, -1, 0
    wrong = strange = 0
    for statement in read:
        node = statement.node
        wrong += node is None or isinstance(node, exp.Command) or _has_dotted_table(node)
        strange += sum(1 for _ in node.find_all(exp.Anonymous)) if node is not None else 0
    return int(not wrong), -wrong, -strange


def _has_dotted_table(node: exp.Expr) -> bool:
    return any(table.name.count(".") > 1 for table in node.find_all(exp.Table))
