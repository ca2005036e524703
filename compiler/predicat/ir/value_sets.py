"""Large sets of values: the lists of a catalog that are too long to be written into each predicate.

A set is identified by the hash of its values. Two predicates with the same hash mean the same, whatever the
values are. So the hash is enough if the values are not available (a lock file, a proof).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

import msgspec

from predicat.ir.types import Type, parse_type

# Lists with at most this many values are written out, as `x IN (1, 2, 3)`.
MAX_WRITTEN = 10_000


class MissingValuesError(Exception):
    """Only the hash of a set is available, not its values."""


class ValueSet:
    """A set of values of one scalar type, none of which is NULL.

    Attributes:
        digest: SHA-256 of `content()`, in hexadecimal.
        count: The number of values.
        name: The name of the list for people; it is not part of the meaning.
        table: The schema and name of a table with the values, if SQL should use one.
    """

    def __init__(
        self,
        digest: str,
        count: int,
        load: Callable[[], bytes] | None = None,
        name: str = "",
        table: tuple[str, str] | None = None,
    ) -> None:
        self.digest, self.count, self.name, self.table = digest, count, name, table
        self._load = load

    @classmethod
    def of(cls, kind: Type, values: Iterable[Any], name: str = "") -> ValueSet:
        """The set of these values, which must be distinct."""
        ordered = tuple(sorted(values))
        content = _content(kind, ordered)
        result = cls(hashlib.sha256(content).hexdigest(), len(ordered), lambda: content, name)
        result.__dict__["values"] = ordered
        return result

    def named(self, name: str) -> ValueSet:
        """The same set with another name for people."""
        return self._like(name, self.table)

    def in_table(self, schema: str, table: str) -> ValueSet:
        """The same set, for SQL that reads its values from a table."""
        return self._like(self.name, (schema, table))

    def _like(self, name: str, table: tuple[str, str] | None) -> ValueSet:
        result = ValueSet(self.digest, self.count, self._load, name, table)
        kept = ("values", "members")
        result.__dict__.update({key: value for key, value in self.__dict__.items() if key in kept})
        return result

    def content(self) -> bytes:
        """The type and the values as JSON, for the hash and for files of values.

        Raises MissingValuesError.
        """
        if self._load is None:
            raise MissingValuesError
        return self._load()

    @property
    def is_known(self) -> bool:
        """Whether the values are available."""
        return self._load is not None

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """The values in ascending order. Raises MissingValuesError."""
        return _read(self.content())

    @cached_property
    def members(self) -> frozenset[Any]:
        """The values as a set. Raises MissingValuesError."""
        return frozenset(self.values)

    def __contains__(self, value: object) -> bool:
        return value in self.members

    def __len__(self) -> int:
        return self.count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValueSet) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"set({self.digest})"


def as_text(value: Any) -> str:
    """A value of a set as a string that engines can read."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
    return value.isoformat() if isinstance(value, date) else str(value)


def _content(kind: Type, values: tuple[Any, ...]) -> bytes:
    plain = values if not values or isinstance(values[0], str | int) else tuple(map(as_text, values))
    return msgspec.json.encode([str(kind), plain])


def _read(content: bytes) -> tuple[Any, ...]:
    kind, values = json.loads(content)
    read = _READERS.get(str(parse_type(kind)).partition("(")[0])
    return tuple(values if read is None else map(read, values))


_READERS: dict[str, Callable[[str], Any]] = {
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
    "decimal": Decimal,
}
