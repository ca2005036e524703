"""Filter expressions of Looker (`"-closed,%open%"`, `">10"`) in SQL, those that say one thing at any time."""

import re
from collections.abc import Callable, Mapping

from sqlglot import exp


class NotExact(Exception):
    """An expression means what depends on the time, the time zone or the user, or it is not known."""


_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_COMPARED = re.compile(rf"(?P<sign><=|>=|<>|!=|<|>|=)?\s*(?P<number>{_NUMBER})\Z")
_INTERVAL = re.compile(
    rf"(?P<open>[\[(])\s*(?P<low>{_NUMBER}|-?inf)?\s*,\s*(?P<high>{_NUMBER}|inf)?\s*(?P<close>[\])])\Z",
    re.IGNORECASE,
)
_TO = re.compile(rf"({_NUMBER})\s+to\s+({_NUMBER})\Z", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_NOT = re.compile(r"not\s+", re.IGNORECASE)
_COMMAS = re.compile(r",(?![^\[(]*[\])])")
_NULL = re.compile(r"(?P<not>-|not\s+)?null\Z", re.IGNORECASE)
_ESCAPED = re.compile(r"\^(.)")


def filter_sql(kind: str, value: str, written: str, dialect: str) -> str:
    """A filter in SQL; "" where it accepts every row. Raises NotExact.

    Args:
        kind: the type of the field in LookML.
        value: the field in SQL.
        written: the filter expression.
        dialect: sqlglot's name of the dialect of the result.
    """
    if not written.strip():
        return ""
    if (match := _NULL.match(written.strip())) and kind != "yesno":
        return f"{value} IS {'NOT ' if match['not'] else ''}NULL"
    if kind not in _KINDS:
        raise NotExact
    return _KINDS[kind](value, written, dialect)


def _yesno(value: str, written: str, _: str) -> str:
    match written.strip().lower():
        case "yes":
            return value
        case "no":
            return f"({value}) IS NOT TRUE"
        case _:
            raise NotExact


def _joined(accepted: list[str], refused: list[str]) -> str:
    """What any of the accepted tests accepts, without what one of the refused accepts, which has NULL only
    if nothing is asked for.
    """
    if not accepted:
        return f"({' OR '.join(refused)}) IS NOT TRUE"
    parts = [f"({' OR '.join(accepted)})", *(f"NOT ({test})" for test in refused)]
    return " AND ".join(parts)


# --- numbers


def _number(value: str, written: str, _: str) -> str:
    accepted: list[str] = []
    refused: list[str] = []
    for part in _COMMAS.split(written):
        term = part.strip()
        if _NULL.match(term):
            raise NotExact  # whether it joins the others by AND or OR is not documented
        bare = _NOT.sub("", term, count=1) if _NOT.match(term) else term
        match = _COMPARED.match(bare)
        unlike = match is not None and match["sign"] in ("<>", "!=")
        if match is not None and (unlike or bare is not term):
            if bare is not term and match["sign"]:
                raise NotExact
            refused.append(f"{value} = {match['number']}")
        elif bare is not term:
            raise NotExact
        else:
            accepted.append(_range(value, term))
    return _joined(accepted, refused)


def _range(value: str, term: str) -> str:
    if match := _COMPARED.match(term):
        return f"{value} {match['sign'] or '='} {match['number']}"
    if match := _TO.match(term):
        return f"({value} >= {match[1]} AND {value} <= {match[2]})"
    if match := _INTERVAL.match(term):
        low, high = (_finite(match["low"]), _finite(match["high"]))
        tests = [f"{value} {'>=' if match['open'] == '[' else '>'} {low}"] if low else []
        tests += [f"{value} {'<=' if match['close'] == ']' else '<'} {high}"] if high else []
        if tests:
            return f"({' AND '.join(tests)})"
    parts = [_COMPARED.match(part) for part in _AND.split(term)]
    if len(parts) > 1 and all(part is not None and part["sign"] in ("<", "<=", ">", ">=") for part in parts):
        return f"({' AND '.join(f'{value} {part}' for part in _AND.split(term))})"
    raise NotExact


def _finite(bound: str | None) -> str:
    return "" if bound is None or bound.lower().endswith("inf") else bound


# --- texts


def _string(value: str, written: str, dialect: str) -> str:
    accepted: list[str] = []
    refused: list[str] = []
    for part in _separated(written):
        term = part.strip()
        negated = term.startswith("-") and len(term) > 1
        bare = term[1:] if negated else term
        if not bare or (term != written.strip() and _NULL.match(term)):
            raise NotExact
        (refused if negated else accepted).append(_text(value, bare, dialect))
    return _joined(accepted, refused)


def _separated(written: str) -> list[str]:
    """The terms between commas; a comma in quotes or behind `^` is one of a term."""
    if '"' in written or "\\" in written:
        raise NotExact
    return re.split(r"(?<!\^),", written)


def _text(value: str, term: str, dialect: str) -> str:
    if term.upper() == "EMPTY":
        return f"({value} IS NULL OR LENGTH({value}) = 0)"
    plain = _ESCAPED.sub(r"\1", term)
    if "%" in _ESCAPED.sub("", term):
        if plain.strip("%") == "" or "^" in term or "_" in term:
            raise NotExact  # how Looker escapes them differs between databases
        return f"{value} LIKE {exp.Literal.string(plain).sql(dialect or None)}"
    return f"{value} = {exp.Literal.string(plain).sql(dialect or None)}"


_KINDS: Mapping[str, Callable[[str, str, str], str]] = {
    "yesno": _yesno,
    "number": _number,
    "string": _string,
    "zipcode": _string,
}
