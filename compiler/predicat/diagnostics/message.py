"""A message as a row: the text that the user sees, with a placeholder for each argument.

    unknown_member = Problem[str, Iterable[str]]('''unknown-member: no member is named {name!r}
        hint: {known:near name}
        hint: its members: {known:listed}''')

The text is `code: sentence` (`warning[code]: sentence` for a warning, `note[code]: ` for a note), then a line
for each `hint:`; the first hint that is not empty is shown. A long text goes on in the next line. The
arguments are those in brackets, in the order in which the text first has them; another order stands before
the text: `(kind, name) unknown-member: ...`. A placeholder is one of a format string of Python; FORMATS has
more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from string import Formatter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVarTuple, Unpack

from predicat.diagnostics import wording
from predicat.diagnostics.diagnostic import Diagnostic, Severity
from predicat.diagnostics.source import NOWHERE, Span

Arguments = TypeVarTuple("Arguments")
_OPEN = Unpack[Arguments]
# Formats of placeholders, such as `{number:count filter}`. Three formats read other arguments as well:
# `{known:near name}` is the hint with the known names nearest to a name; `{path:if the path|the table}` and
# `{count:is 1 one row|several rows}` are one of two texts, which may have placeholders.
FORMATS: Mapping[str, Callable[[Any, str], str]] = {
    "a": lambda noun, _: wording.article(noun),
    "brief": lambda text, most: text if len(text) <= int(most) else "...",
    "by": lambda names, between: f" {between} ".join(names),
    "count": wording.quantity,
    "cut": lambda text, _: wording.cut(text),
    "first": lambda names, most: ", ".join(map(str, list(names)[: int(most)])),
    "list": lambda names, _: ", ".join(map(str, names)),
    "listed": lambda names, most: wording.listed(names, int(most or 12)),
    "number": lambda names, _: str(len(names)),
    "operand": lambda text, _: wording.operand(text),
    "optional": lambda text, _: text or "",
    "or": lambda names, _: wording.either(names),
    "reprs": lambda values, _: ", ".join(map(repr, values)),
    "semicolons": lambda texts, _: "; ".join(texts),
    "shown": lambda value, _: wording.shown(value),
    "some": lambda names, most: wording.some(names, int(most)),
    "sorted": lambda names, between: f" {between} ".join(sorted(names)),
    "upper": lambda text, _: text.upper(),
}
_PYTHON = Formatter()
_ORDER = re.compile(r"\((\w+(?:, \w+)*)\) ")
_CODE = re.compile(r"(?:(?P<severity>warning|note)\[)?(?P<code>[\w-]*)\]?: ")
_HINT = re.compile(r"\n\s*hint: ")
_BREAK = re.compile(r"\n\s*")


class Reason(NamedTuple):
    """Why a value or a part of a filter is refused, and what to do instead."""

    text: str
    hint: str | None = None


def _filled(text: str, values: Mapping[str, Any]) -> str:
    """A text with the values of its placeholders."""
    return "".join(
        literal + ("" if field is None else _placed(field, form or "", conversion, values))
        for literal, field, form, conversion in _PYTHON.parse(text)
    )


def _placed(field: str, form: str, conversion: str | None, values: Mapping[str, Any]) -> str:
    """The text of one placeholder."""
    value, _ = _PYTHON.get_field(field, (), values)
    word, _, rest = form.partition(" ")
    if word in {"if", "is"}:
        other, _, texts = rest.partition(" ") if word == "is" else ("", "", rest)
        yes, _, no = texts.partition("|")
        return _filled(yes if (str(value) == other if word == "is" else value) else no, values)
    if word == "near":
        return wording.did_you_mean(values[rest], value) or ""
    if word in FORMATS:
        return FORMATS[word](value, rest)
    return format(_PYTHON.convert_field(value, conversion), form)


def _names(text: str) -> Iterator[str]:
    """The names of the placeholders of a text, those within a format as well."""
    for _, field, form, _ in _PYTHON.parse(text):
        if field is not None:
            word, _, rest = (form or "").partition(" ")
            yield re.split(r"[.\[]", field)[0]
            yield from [rest] if word == "near" else _names(rest)


class _Parts(NamedTuple):
    names: Sequence[str]
    severity: Severity
    code: str
    sentence: str
    hints: Sequence[str]


class Row(Generic[*Arguments]):
    """A message. It is called with its arguments, and reads its text at the first call."""

    frame: ClassVar[str] = "{}"
    """What stands around the text of every message of the class."""
    hint: ClassVar[str] = "{}"
    """What stands around the hints of every message of the class; without a placeholder, its only hint."""

    def __init__(self, text: str, types: tuple[Any, ...] = ()) -> None:
        self._text = text
        self.types = types

    if not TYPE_CHECKING:

        def __class_getitem__(cls, types: Any) -> Any:
            """A row with the types of its arguments. Every row is made at import, and typing's own way takes
            five times as long.
            """
            types = types if isinstance(types, tuple) else (types,)
            is_base = type(types[0] if types else None) is type(_OPEN)
            return super().__class_getitem__(types) if is_base else partial(cls, types=types)

    @cached_property
    def parts(self) -> _Parts:
        """The text, read. The span of a problem is none of the names of the arguments."""
        text, *hints = (_BREAK.sub(" ", part).strip() for part in _HINT.split(self._text))
        hints = [self.hint.format(hint) for hint in hints or [""]]
        order = _ORDER.match(text)
        whole = self.frame.format(text[order.end() if order else 0 :])
        head = _CODE.match(whole)
        if head is None:
            raise ValueError(whole)
        sentence = whole[head.end() :]
        found = dict.fromkeys(name for part in (sentence, *hints) for name in _names(part))
        names = order[1].split(", ") if order else [name for name in found if name != "span"]
        return _Parts(names, Severity(head["severity"] or "error"), head["code"], sentence, hints)

    def filled(self, *arguments: *Arguments, **span: Span) -> tuple[str, str | None]:
        """The sentence and the hint."""
        given = [list(item) if isinstance(item, Iterator) else item for item in arguments]
        values = dict(zip(self.parts.names, given, strict=True)) | span
        hints = (_filled(hint, values) for hint in self.parts.hints)
        return _filled(self.parts.sentence, values), next(filter(None, hints), None)


class Problem(Row[*Arguments]):
    """A message about a place in a file: it is called with the place and its arguments."""

    def __call__(self, span: Span, *arguments: *Arguments) -> Diagnostic:
        """The problem at a place."""
        sentence, hint = self.filled(*arguments, span=span)
        return Diagnostic(self.parts.code, sentence, span, hint, self.parts.severity)


class NotInFilter(Problem[*Arguments]):
    """A part of a filter that is not supported: the text names the part."""

    frame = "unsupported: {} is not supported in a filter"


class Failure(Row[*Arguments]):
    """A message without a place, of a command or an engine."""

    def __call__(self, *arguments: *Arguments) -> Diagnostic:
        """The problem."""
        sentence, hint = self.filled(*arguments)
        return Diagnostic(self.parts.code, sentence, NOWHERE, hint, self.parts.severity)


class Why(Row[*Arguments]):
    """A reason within a message. It has no code."""

    frame = ": {}"

    def __call__(self, *arguments: *Arguments) -> Reason:
        """The reason."""
        return Reason(*self.filled(*arguments))


class Text(Row[*Arguments]):
    """A part of a message, or a line of a report. It has no code and no hint."""

    frame = ": {}"

    def __call__(self, *arguments: *Arguments) -> str:
        """The text."""
        return self.filled(*arguments)[0]
