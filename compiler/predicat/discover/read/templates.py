"""SQL in Jinja, rendered without dbt: every character of the output knows the place that it comes from.

Literal text and expressions are marked with their offsets before they are rendered, so that loops and
branches need no care. What the template does not define renders as a name: a variable becomes a parameter,
`ref` and `source` relations. Conditions of blocks count as true, as far as they may be true together; an
unknown list has one element.
"""

from __future__ import annotations

import contextlib
import functools
import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jinja2 import TemplateError, Undefined, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Context, Macro
from jinja2.sandbox import SandboxedEnvironment
from msgspec import Struct

from predicat.discover.read.residues import PARAMETER

# Characters that a template may become.
MAX_OUTPUT = 2_000_000
# Seconds of CPU of one template: the load of the machine does not matter.
MAX_SECONDS = 5.0
_MAX_FACTOR = 10_000
# Characters of the arguments that the name of an unknown value shows.
_LONGEST_WORD = 30
_OPEN, _CLOSE = "\ue000", "\ue001"
# What the sandbox asks of a function.
_ASKED = ("unsafe_callable", "alters_data")
_UNKNOWN = re.compile(rf"{PARAMETER}(\w+)")
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
# Filters of which an unknown value is no other one: those of dbt that say of which type it is, and those that
# have its only element.
_PASSED = ("as_text", "as_bool", "as_number", "as_native", "count", "default", "d", "length", "list")
_BLOCKS = {"{%": "%}", "{{": "}}", "{#": "#}"}
# A format whose output is not much longer than what is put in.
_FORMAT = re.compile(r"(?:[^%]|%%|%[0 +#-]?[0-9]{0,2}(?:\.[0-9]{1,2})?[a-zA-Z])*")
# What unknown values were compared with first in the template that is rendered, by their names.
_SUPPOSED: dict[str, object] = {}


class Rendered(Struct, frozen=True):
    """The output of a template. `offsets[i]` is the offset in the template of character `i`, and `exact[i]`
    whether the character is written there.
    """

    text: str
    offsets: list[int]
    exact: list[bool]

    def place(self, start: int, end: int) -> tuple[int, int, bool]:
        """The range of the template for one of the output, and whether it is written there as it is."""
        if start >= len(self.offsets):
            return (self.offsets[-1] if self.offsets else 0), 0, False
        first, last = self.offsets[start], self.offsets[max(start, end - 1)]
        same = all(self.exact[start:end]) and last - first == end - start - 1
        return first, max(last + 1, first + 1), same


class NotRendered(Exception):
    """A template could not be rendered."""


class _Returned(Exception):
    """Ends a macro with a value, as `return` of dbt does."""

    def __init__(self, value: object = "") -> None:
        super().__init__()
        self.value = value


def _word_of(args: tuple[object, ...]) -> str:
    """What is behind the name of an unknown value that was made with arguments: values are the same only if
    their arguments are.
    """
    text = "_".join(map(_text_of, args))
    word = re.sub(r"\W+", "_", text).strip("_").lower()
    if not args or (word == text and len(word) <= _LONGEST_WORD):
        return f"_{word}" if word else ""
    return f"_{word[:_LONGEST_WORD].strip('_')}_{zlib.crc32(text.encode(errors='surrogatepass')):x}"


def _text_of(value: object) -> str:
    """An argument as a text that is the same in each run."""
    match value:
        case _Unknown():
            return value.word
        case str() | int() | float() | None:
            return str(value)
        case list() | tuple():
            return f"[{','.join(map(_text_of, value))}]"
        case dict():
            return f"{{{','.join(f'{_text_of(key)}:{_text_of(item)}' for key, item in value.items())}}}"
        case _:
            return type(value).__name__


def _calculated(sign: str) -> Callable[..., _Unknown]:
    """A calculation with an unknown value."""

    def calculate(self: _Unknown, *args: object) -> _Unknown:
        return _Unknown(f"{self.word}_{sign}{_word_of(args)}")

    return calculate


class _Unknown:
    """A value that only a run of dbt knows: it renders as a parameter, and is true. What is made of it is
    another one.
    """

    def __init__(self, name: str = "value") -> None:
        self.word = re.sub(r"\W+", "_", name).strip("_").lower() or "value"

    def __str__(self) -> str:
        return PARAMETER + self.word

    def __html__(self) -> str:
        return str(self)

    def __bool__(self) -> bool:
        return bool(_SUPPOSED.get(self.word, True))

    def __iter__(self) -> Iterator[Any]:
        yield self

    def __len__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        """Whatever it is compared with first is supposed, for all of the template: blocks for two values are
        never there together.
        """
        return isinstance(other, _Unknown) or _SUPPOSED.setdefault(self.word, other) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.word)

    def __call__(self, *args: object, **named: object) -> _Unknown:
        return _Unknown(
            self.word + _word_of((*args, *(part for pair in sorted(named.items()) for part in pair)))
        )

    def __getitem__(self, key: object) -> _Unknown:
        return _Unknown(self.word + _word_of((key,)))

    def keys(self) -> list[str]:
        """The keys of a mapping, which has one: a text, as `call(**mapping)` needs it."""
        return [f"{self}_key"]

    def items(self) -> list[tuple[str, _Unknown]]:
        """The keys of a mapping with its values."""
        return [(key, _Unknown(f"{self.word}_item")) for key in self.keys()]

    __add__ = __radd__ = _calculated("plus")
    __sub__, __rsub__ = _calculated("minus"), _calculated("from")
    __mul__ = __rmul__ = _calculated("times")
    __truediv__, __rtruediv__, __floordiv__ = _calculated("by"), _calculated("of"), _calculated("whole")
    __mod__, __rmod__ = _calculated("mod"), _calculated("into")
    __neg__ = _calculated("neg")

    def __pos__(self) -> _Unknown:
        return self

    def __lt__(self, other: object) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __index__(self) -> int:
        return 1  # the length of a list, as in `range(n)`; the filters `int` and `float` give unknown values

    def __contains__(self, item: object) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _ASKED:
            raise AttributeError(name)
        return _Unknown(f"{self.word}_{name}")


class _Missing(Undefined):
    """What Jinja makes of a name that it does not know."""

    def __new__(cls, hint: str | None = None, obj: Any = None, name: str | None = None, *_: object) -> Any:
        del obj  # what has no part of the name, such as `var` in `var.value.x`
        # Jinja gives a hint and no name for an `if` without `else` in an expression: that is nothing.
        return "" if name is None and hint is not None else _Unknown(str(name or "value"))


class _Relation(str):
    """The text of a relation, which has parts such as `.identifier`."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _ASKED:
            raise AttributeError(name)
        if name in ("include", "render", "identifier", "name"):
            return _Relation(self)
        return _Unknown(f"{self}_{name}")

    def __call__(self, *_: object, **__: object) -> str:
        return self


class _Tags(Extension):
    """The blocks of dbt that Jinja does not have: snapshot, materialization, test, docs."""

    tags = {"snapshot", "materialization", "test", "docs", "data_test", "unit_test"}  # noqa: RUF012  # as Jinja has it

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        tag = next(parser.stream).value
        while parser.stream.current.type not in ("block_end", "eof"):
            next(parser.stream)
        body = parser.parse_statements((f"name:end{tag}",), drop_needle=True)
        return nodes.Scope(body, lineno=1) if tag == "snapshot" else []


class _Known(dict[str, Any]):
    """Template filters. Of an unknown value each gives another unknown one, as does a filter that is unknown
    itself; of other values that one gives its input.
    """

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ARG002  # as the base class has it
        return self[key]

    def __getitem__(self, key: str) -> Any:
        own = super().get(key)
        at = int(hasattr(own, "jinja_pass_arg"))  # the value comes behind the context

        def filtered(*args: Any, **named: object) -> Any:
            value = args[at]
            if isinstance(value, _Unknown) and key not in _PASSED:
                return _Unknown(f"{value.word}_{key}{_word_of(args[at + 1 :])}")
            return value if own is None else own(*args, **named)

        return filtered if own is None else functools.update_wrapper(filtered, own)


class _Sandbox(SandboxedEnvironment):
    """Jinja without what makes large values of small ones."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if any(isinstance(side, int) and abs(side) > _MAX_FACTOR for side in (left, right)):
            raise SecurityError(operator)
        if operator == "%" and isinstance(left, str):
            return _formatted(left, right)
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, called: Any, /, *args: Any, **named: Any) -> Any:
        try:
            return super().call(context, called, *args, **named)
        except _Returned as returned:
            if not isinstance(called, Macro):
                raise
            return returned.value

    @staticmethod
    def concat(pieces: Iterable[object]) -> str:
        """What a macro writes. `{% call %}` of an unknown macro writes its value as it is."""
        return "".join(map(str, pieces))


def _formatted(text: str, values: Any) -> str | _Unknown:
    """A text with values put in, if it stays short; otherwise an unknown value of its own."""
    if _FORMAT.fullmatch(text):
        with contextlib.suppress(TypeError, ValueError, LookupError):
            return str(text % values)
    return _Unknown("format" + _word_of((text, values)))


def _environment() -> SandboxedEnvironment:
    environment = _Sandbox(undefined=_Missing, extensions=[_Tags, "jinja2.ext.do", "jinja2.ext.loopcontrols"])
    # Filters that pad a text to any length.
    environment.filters.update(dict.fromkeys(("center", "indent", "wordwrap"), lambda value, *_, **__: value))
    environment.filters["format"] = lambda value, *args, **named: _formatted(str(value), named or args)
    environment.filters = _Known(environment.filters)
    environment.globals.update(
        {
            **_RELATIONS,
            "builtins": _RELATIONS,
            "var": lambda name="value", *default: _Unknown(str(name) + _word_of(default)),
            "env_var": lambda name="value", *default: _Unknown(str(name) + _word_of(default)),
            "config": _Config(),
            "is_incremental": lambda: True,
            "this": _Relation("this"),
            "return": _return,
            "log": lambda *_, **__: "",
            "print": lambda *_, **__: "",
            "execute": False,
            "set": lambda value=(), *_: list(value),
            "tojson": str,
        }
    )
    return environment


_RELATIONS: Mapping[str, Callable[..., Any]] = {
    "ref": lambda *names, **_: _Relation(names[-1] if names else "ref"),
    "source": lambda *names, **_: _Relation(".".join(map(str, names))),
}


def _return(value: object = "") -> None:
    raise _Returned(value)


class _Config:
    """`config(...)` of dbt, which sets and says nothing here."""

    def __call__(self, *_: object, **__: object) -> str:
        return ""

    def get(self, name: str = "value", *_: object, **__: object) -> Any:
        return _Unknown(str(name))

    require = get


def macros_of(texts: Mapping[str, str]) -> dict[str, Any]:
    """The macros that files define, by name; those of a file that cannot be read are unknown."""
    result: dict[str, Any] = {}
    for text in texts.values():
        try:
            environment = _environment()
            environment.globals.update(result)
            module = environment.from_string(text).make_module()
            result.update(
                {key: _bounded(value) for key, value in vars(module).items() if _is_macro(key, value)}
            )
        except Exception:  # noqa: BLE001, S112  # a template may raise anything; its macros stay unknown
            continue
    return result


def _is_macro(name: str, value: object) -> bool:
    # Whatever a project makes of these, they are its models and its sources.
    return callable(value) and not name.startswith("_") and name not in _RELATIONS


def _bounded(macro: Callable[..., Any]) -> Callable[..., Any]:
    """A macro that is an unknown value where it fails, or has none to give without a database."""
    name = str(getattr(macro, "name", "macro"))

    def call(*args: Any, **named: Any) -> Any:
        try:
            value = macro(*args, **named)
        except _Returned as returned:
            value = returned.value
        except Exception:  # noqa: BLE001  # as above
            value = ""
        if isinstance(value, str) and not isinstance(value, _Relation):
            value = value.strip()
            if is_unknown := _UNKNOWN.fullmatch(value):
                return _Unknown(is_unknown[1])
        nothing = not isinstance(value, _Unknown) and value in ("", None, [], {})
        return _Unknown(name)(*args, **named) if nothing else value

    return call


def render(text: str, macros: Mapping[str, Any], this: str = "this") -> Rendered:
    """The output of a template with the places of its characters. `this` is the relation that the file makes.
    Raises NotRendered.
    """
    _SUPPOSED.clear()
    environment = _environment()
    environment.globals["this"] = _Relation(this)
    environment.globals.update(macros)
    deadline, size = time.thread_time() + MAX_SECONDS, 0
    pieces: list[str] = []
    try:
        for piece in map(str, environment.from_string(_marked(text)).generate()):
            size += len(piece)
            if size > MAX_OUTPUT * 2 or time.thread_time() > deadline:
                raise NotRendered
            pieces.append(piece)
    except (
        TemplateError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        MemoryError,
        RecursionError,
        _Returned,
    ):
        raise NotRendered from None
    return _unmarked("".join(pieces))


def _marked(text: str) -> str:
    """A template with the offset of each piece of text and of each expression before it."""
    result: list[str] = []
    at = 0
    # Jinja makes one character of the two that end a line.
    text = text.replace(_OPEN, " ").replace(_CLOSE, " ").replace("\r\n", " \n")
    while at < len(text):
        start = min(
            (position for position in (text.find(mark, at) for mark in _BLOCKS) if position >= 0), default=-1
        )
        end = len(text) if start < 0 else start
        if end > at:
            result.append(f"{_OPEN}{at * 2}{_CLOSE}{text[at:end]}")
        if start < 0:
            break
        stop = _end_of(text, start)
        block = text[start:stop]
        if block.startswith("{{"):
            result.append(
                f"{_OPEN}{start * 2 + 1}{_CLOSE}{block.replace('{{-', '{{', 1).replace('-}}', '}}')}"
            )
        elif block.startswith("{%"):
            result.append(block.replace("{%-", "{%", 1).replace("-%}", "%}"))
        at = stop
    return "".join(result)


def _end_of(text: str, start: int) -> int:
    """The offset behind a block, whose constants may have what looks like its end."""
    close = _BLOCKS[text[start : start + 2]]
    quote = ""
    at = start + 2
    while at < len(text):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and close != "#}":
            quote = char
        elif text.startswith(close, at):
            return at + 2
        at += 1
    end = text.find(close, start)
    return end + 2 if end >= 0 else len(text)


def _unmarked(text: str) -> Rendered:
    """The output without marks; each mark says where the text behind it is from."""
    pieces: list[str] = []
    offsets: list[int] = []
    exact: list[bool] = []
    marks = list(_MARK.finditer(text))
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        piece = text[mark.end() : end]
        value = int(mark.group(1))
        offset, literal = value // 2, value % 2 == 0
        pieces.append(piece)
        offsets += range(offset, offset + len(piece)) if literal else [offset] * len(piece)
        exact += [literal] * len(piece)
    return Rendered("".join(pieces), offsets, exact)
