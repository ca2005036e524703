r"""P507, P508: regular expressions that match more than they seem to: `.` for a dot, or missing anchors.

Only patterns that look like the name of a host, a file or a package are checked: `github.com`, `\.csv`,
`^https?://`. Other loose patterns are probably meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from predicat.catalog.model import Filter
from predicat.ir.syntax import Constant, OperatorCall
from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.written import bodies, walk

_OPAQUE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_ENDS = (
    "com|org|net|io|dev|edu|gov|eu|de|uk|fr|cloud|app|internal|local|csv|tsv|json|jsonl|parquet|avro|orc|"
    "txt|log|gz|zip|tar|pdf|xml|html|php|js|css|py|sql|yml|yaml|png|jpg|exe"
)
_NAME = rf"[A-Za-z0-9-]{{2,}}(?:\.[A-Za-z0-9-]{{2,}})*\.(?:{_ENDS})(?![A-Za-z0-9*+?{{])"
_DOT_IN_NAME = re.compile(_NAME)
_DOTTED_WORDS = re.compile(r"\^?(?P<name>[A-Za-z0-9_\-/:@ ]{2,}(?:\.[A-Za-z0-9_\-/:@ ]{2,})+)(?:\.[*+])?\$?")
_ADDRESS = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_FILE_END = re.compile(r"\0(?:csv|tsv|jsonl?|parquet|avro|orc|txt|log|gz|zip|pdf|xml|html)\Z")
_ESCAPED_DOT = "\0"


def _patterns(context: Context) -> Iterator[tuple[Filter, Constant, str]]:
    for filter_, tree in bodies(context):
        for part in walk(tree):
            if (
                isinstance(part, OperatorCall)
                and part.op == "matches"
                and isinstance(part.args[1], Constant)
                and isinstance(part.args[1].value, str)
            ):
                yield filter_, part.args[1], part.args[1].value


def _dots(context: Context) -> Iterator[Finding]:
    for filter_, pattern, text in _patterns(context):
        plain = _OPAQUE.sub(lambda result: "\1" * len(result[0]), text)
        name = _DOT_IN_NAME.search(plain) or _ADDRESS.search(plain) or _DOTTED_WORDS.fullmatch(plain)
        if name is not None:
            looks_like = name[name.lastgroup or 0]
            yield Finding(
                "P507",
                filter_.qualified,
                f"in {_shown(text)} each dot of {_shown(looks_like)} matches any character",
                pattern.span,
                r"write \. for a dot",
            )


def _anchors(context: Context) -> Iterator[Finding]:
    for filter_, pattern, text in _patterns(context):
        problem = _unanchored(text)
        if problem is not None:
            yield Finding("P508", filter_.qualified, f"{_shown(text)} {problem[0]}", pattern.span, problem[1])


def _unanchored(text: str) -> tuple[str, str] | None:
    """What a pattern matches although it should not, and a hint."""
    branches = _branches(text)
    starts = [branch.startswith(("^", r"\A")) for branch in branches]
    ends = [_ends(branch) for branch in branches]
    if len(branches) > 1 and _one_only(starts, 0) and not any(ends):
        return (
            f"is anchored by ^ in {_shown(branches[0])} only",
            "put the alternatives in parentheses: ^(...|...)",
        )
    if len(branches) > 1 and _one_only(ends, -1) and not any(starts):
        return (
            f"is anchored by $ in {_shown(branches[-1])} only",
            "put the alternatives in parentheses: (...|...)$",
        )
    if len(branches) > 2 and _one_only(starts, 0) and _one_only(ends, -1):
        return (
            "is anchored in its first and its last alternative only",
            "put the alternatives in parentheses: ^(...|...)$",
        )
    if len(branches) > 1:
        return None
    dotted = text.replace(r"\.", _ESCAPED_DOT)
    if not starts[0] and re.match(r"https?\??:(?:\\/|/){2}", text):
        return "also matches the address within a longer string", "start it with ^"
    host = not starts[0] and _DOT_IN_NAME.match(dotted.replace(_ESCAPED_DOT, "."))
    if host and not _FILE_END.search(dotted):
        return (
            f"matches {_shown('not-' + host[0])} as well",
            r"start it with ^, or with (^|\.) for subdomains",
        )
    if _FILE_END.search(dotted):
        return "also matches longer names", "end it with $"
    return None


def _shown(text: str) -> str:
    return f"'{text if len(text) <= 40 else text[:37] + '...'}'"


def _one_only(flags: list[bool], index: int) -> bool:
    return flags[index] and sum(flags) == 1


def _ends(branch: str) -> bool:
    return branch.endswith((r"\z", r"\Z")) or (branch.endswith("$") and not branch.endswith(r"\$"))


def _branches(text: str) -> list[str]:
    """The top-level alternatives of a pattern."""
    plain = _OPAQUE.sub(lambda result: "\1" * len(result[0]), text)
    branches, depth, start = [], 0, 0
    for index, char in enumerate(plain):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "|" and not depth:
            branches.append(text[start:index])
            start = index + 1
    return [*branches, text[start:]]


RULES = (
    Rule(
        "P507",
        "pattern-dot",
        r"A dot in a pattern that looks like a name of a host, file or package: it matches any character.",
        _dots,
    ),
    Rule(
        "P508",
        "pattern-anchor",
        "A pattern whose anchors are missing, or belong to one alternative only.",
        _anchors,
    ),
)
