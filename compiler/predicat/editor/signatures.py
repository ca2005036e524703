"""What the functions of SQL and CEL take and mean. A front end is asked what a call becomes; the operator
table says the rest.
"""

import re
from functools import lru_cache

from msgspec import Struct

from predicat.diagnostics import PredicatError, Source, Span
from predicat.ir import syntax as t
from predicat.ir.operators import OPS, Strictness
from predicat.language import LANGUAGES
from predicat.language.cel.reader import KNOWN as CEL_FUNCTIONS
from predicat.language.common.body import Body
from predicat.language.sql.rules import KNOWN as SQL_FUNCTIONS

_MOST = 4
_ARGUMENTS = ("a", "b", "c", "d")
# The example of an argument: a field, or if it must be a constant, a text or a number.
_SAMPLES = ("{}", "'x'", "1")


class Signature(Struct, frozen=True):
    """One way to call a function: its arguments as they are shown, the whole as it is shown, and what it
    means.
    """

    label: str
    arguments: tuple[str, ...]
    doc: str


class Call(Struct, frozen=True):
    """The call around a cursor: the name of the function, whether it is a method (CEL), and the argument."""

    name: str
    method: bool
    argument: int


def call_at(before: str) -> Call | None:
    """The innermost call that is open at the end of a text."""
    depth = argument = 0
    text = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", lambda result: "_" * len(result[0]), before)
    for at in range(len(text) - 1, -1, -1):
        char = text[at]
        if char in ")]}":
            depth += 1
        elif char in "[{" and depth == 0:
            argument = 0
        elif char in "([{" and depth:
            depth -= 1
        elif char == "," and depth == 0:
            argument += 1
        elif char == "(":
            name = re.search(r"(\.?)((?:math|sets|cel|optional)\.)?([A-Za-z_]\w*)\s*\Z", text[:at])
            return Call((name[2] or "") + name[3], bool(name[1]) and not name[2], argument) if name else None
    return None


@lru_cache(maxsize=1024)
def signatures(language: str, name: str, *, method: bool = False) -> tuple[Signature, ...]:
    """The ways to call a function of a language; none if it has no such function, or no operator alone is
    it.
    """
    if name in ("filter", "matches_filter"):
        return _REFERENCES.get(language, ())
    result: dict[str, Signature] = {}
    for count in range(1, _MOST + 1):
        trees = [
            tree
            for sample in _SAMPLES
            if (tree := _read(language, name, count, sample, method=method)) is not None
        ]
        whole = [
            tree
            for tree in trees
            if isinstance(tree, t.OperatorCall) and tree.op in OPS and len(tree.args) == count
        ]
        if whole and isinstance(whole[0], t.OperatorCall):
            result |= {signature.label: signature for signature in _shown(name, whole[0], method=method)}
        elif trees:  # several operators: no one row of the table says what it means
            letters = _ARGUMENTS[method:count]
            label = f"{'a.' if method else ''}{name}({', '.join(letters)})"
            result[label] = Signature(label, letters, "")
    return tuple(result.values())


_REFERENCES = {
    "sql": (
        Signature(
            "matches_filter(name, parameter => value, ...)",
            ("name", "parameter => value"),
            "Whether another filter of this dataset accepts the row.",
        ),
    ),
    "cel": (Signature("filter(name)", ("name",), "Whether another filter of this dataset accepts the row."),),
}


def names(language: str) -> list[str]:
    """The functions of a language."""
    return sorted({"sql": SQL_FUNCTIONS, "cel": CEL_FUNCTIONS}.get(language, ()))


def _read(language: str, name: str, count: int, sample: str, *, method: bool) -> t.Tree | None:
    """The tree of a call with this number of arguments; None if there is no such call."""
    given = [_ARGUMENTS[0], *(sample.format(letter) for letter in _ARGUMENTS[1:count])][:count]
    text = f"{given[0]}.{name}({', '.join(given[1:])})" if method else f"{name}({', '.join(given)})"
    source = Source("", text)
    try:
        return LANGUAGES[language].read(Body(text, source, Span(source, 0, len(text))))
    except PredicatError:
        return None


def _shown(name: str, tree: t.OperatorCall, *, method: bool) -> list[Signature]:
    op = OPS[tree.op]
    outcome: list[Signature] = []
    for signature in op.signatures:
        left, _, result = signature.partition(" -> ")
        kinds = [kind.strip().removeprefix("=") for kind in re.split(r",\s*(?![^<]*>)", left)]
        if kinds[-1].endswith("*"):
            kinds = [*kinds[:-1], kinds[-1].rstrip("*"), "..."]
        elif len(kinds) != len(tree.args):
            continue
        listed = tuple(kinds[1:] if method else kinds)
        before = f"{kinds[0]}." if method else ""
        unknown = (
            ""
            if op.strictness is Strictness.STRICT
            else f" {op.strictness.value[0].upper()}{op.strictness.value[1:]}."
        )
        outcome.append(
            Signature(f"{before}{name}({', '.join(listed)}) -> {result}", listed, op.doc + unknown)
        )
    return outcome
