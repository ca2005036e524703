"""Words that depend on a number, names in a row, and values as a message shows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from difflib import get_close_matches


def either(names: Sequence[str]) -> str:
    """A choice of names: `spark, postgres or duckdb`."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_CONSONANT_Y = re.compile(r"[^aeiou]y\Z")


def quantity(number: int, noun: str) -> str:
    """A number of things: `1 filter`, `1,200 filters`, `2 policies`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {f'{noun[:-1]}ies' if _CONSONANT_Y.search(noun) else f'{noun}s'}"


def percent(part: int, whole: int) -> str:
    """A share with two decimals: `4%`, `0.25%`, `<0.01%`."""
    share = 100 * part / whole
    return "<0.01%" if 0 < share < 0.01 else f"{share:.2f}".rstrip("0").rstrip(".") + "%"


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint with the nearest known names, or None. A name that differs only by case is the nearest."""
    near = _near(name, list(known), 3)
    return f"did you mean {either([repr(item) for item in near])}?" if near else None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a name resembles most, if any does."""
    return next(iter(_near(name, list(known), 1)), None)


def _near(name: str, known: list[str], most: int) -> list[str]:
    same = [item for item in known if item.casefold() == name.casefold()]
    parent, dot, last = name.rpartition(".")
    parent = parent + dot if len(last) > 2 else ""  # of flights.late only `late` is compared, in flights
    beside = [item.removeprefix(parent) for item in known if item.startswith(parent)]
    elsewhere = [item for item in known if not item.startswith(parent)]
    close = get_close_matches(name.removeprefix(parent), beside, n=most, cutoff=0.6)
    return same or [parent + item for item in close] or get_close_matches(name, elsewhere, n=most, cutoff=0.6)


# The longest value that a message shows as a whole.
_SHOWN = 60


_WRITTEN_BITS = 4_096


def shown(value: object) -> str:
    """A value of a row as YAML and JSON have it, cut where it is long."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int) and value.bit_length() > _WRITTEN_BITS:
        return cut(hex(value), _SHOWN)  # Python refuses to write very long integers with decimal digits
    return cut(str(value) if isinstance(value, date) else repr(value), _SHOWN)


def cut(text: str, most: int = 160) -> str:
    """A text of the user, cut where it is long."""
    return text if len(text) <= most else f"{text[:most]}..."


def article(noun: str) -> str:
    """A noun with its indefinite article, by its first letter; `unit` begins with a consonant."""
    return f"{'an' if noun[:1].lower() in 'aeiou' and not noun.startswith('uni') else 'a'} {noun}"


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Names in their order, and how many more there are."""
    items = sorted(names)
    more = f", ... ({len(items)} in all)" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


def some(names: Sequence[str], most: int) -> str:
    """The first names in a row, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def operand(text: str) -> str:
    """A part of a condition in one line, as a hint repeats it; `x` where it is long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= 30 else "x"


def one_line(text: str) -> str:
    """A text of strangers in one line, without characters that a terminal or YAML takes for its own."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
