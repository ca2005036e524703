"""Conditions of the past: those that name single rows, as one deletion or one repair of data does, which are
no rules, and those of programs that were replaced.
"""

import re
from collections.abc import Iterator
from pathlib import PurePath

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.discover.conditions import Condition

# Columns that identify a row, by the ends of their names.
KEY = re.compile(r"(?:^|_)(?:id|ids|uuid|guid|gid|key|hash|sha|sha1|sha256|md5)$|[a-z]I[dD]$", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)
# Letters and at least three digits, without anything between them.
_MADE_UP = re.compile(r"(?=(?:\D*\d){3})(?=[^a-zA-Z]*[a-zA-Z])[0-9a-zA-Z]{16,}")
# Folders of programs that run once.
_RUN_ONCE = re.compile(
    r"migrat(?:e|ions?)|alembic|updates?|upgrades?|backfills?|ad-?_?hoc|one-?_?offs?|patches|fixups?|repairs?"
)
# Names of folders and files that are kept beside what replaced them.
_REPLACED = re.compile(
    r"(?:.*[^a-z])?(?:old|archived?|archives|backups?|bak|deprecated|legacy|obsolete|retired)(?:[^a-z].*)?"
)
_VERSION = re.compile(r"[ _.-]?v[0-9]+(?:[._][0-9]+)*$", re.IGNORECASE)


def runs_once(condition: Condition) -> bool:
    """Whether its statement changes rows, or is in a folder of programs that run once."""
    return condition.changes or has_run(condition.place.path)


def has_run(path: str) -> bool:
    """Whether a file is in a folder of programs that run once."""
    return any(_RUN_ONCE.fullmatch(part.lower()) for part in PurePath(path).parts[:-1])


def is_replaced(path: str) -> bool:
    """Whether a name says that a file, or a folder that it is in, was replaced."""
    *folders, file = PurePath(path).parts
    return any(_REPLACED.fullmatch(part.lower()) for part in (*folders, PurePath(file).stem))


def without_version(path: str) -> str:
    """The name of a file without its version: that of `lab_v1.2.sql` is `lab`."""
    file = PurePath(path)
    return str(file.with_name(_VERSION.sub("", file.stem) or file.stem))


def names_rows(sql: str, *, numbers: bool) -> bool:
    """Whether a condition compares a column with what identifies single rows.

    Args:
        sql: The condition.
        numbers: Whether each constant that a key is compared with counts. Otherwise only texts that somebody
            or something made up do, as a UUID or a hash.
    """
    try:
        tests = parse_one(sql).find_all(exp.EQ, exp.NEQ, exp.In)
    except (SqlglotError, RecursionError):
        return False
    return any(_names_row(test, numbers=numbers) for test in tests)


def _names_row(test: exp.Expr, *, numbers: bool) -> bool:
    constants = list(_constants(test))
    column = next(iter(test.find_all(exp.Column)), None)
    if column is None or not constants:
        return False
    if any(part.is_string and is_made_up(part.name) for part in constants):
        return True
    return numbers and KEY.search(column.name) is not None


def _constants(test: exp.Expr) -> Iterator[exp.Literal]:
    sides = test.expressions if isinstance(test, exp.In) else (test.this, test.args.get("expression"))
    return (side for side in sides if isinstance(side, exp.Literal))


def is_made_up(text: str) -> bool:
    """Whether a text is a UUID, a hash or another name that nobody reads."""
    return bool(_UUID.fullmatch(text) or _MADE_UP.fullmatch(text))
