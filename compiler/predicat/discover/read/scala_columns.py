"""Chains of columns in Scala (`$"a" === 1 && col("b").isNull`) in the SQL of Spark.

An operator binds as its first character says, and a method that is written between its operands binds
weakest, as the language defines it.
"""

import re
from collections.abc import Container, Sequence

from predicat.discover.read.columns import INFIX, NotRead, cast, is_cast, literal, method, name
from predicat.discover.read.residues import parameter_of
from predicat.discover.read.scala_tokens import Token

_SIGNS = {
    "===": "=",
    "=!=": "<>",
    "<=>": "<=>",
    "&&": "AND",
    "||": "OR",
    **{sign: sign for sign in ("<", "<=", ">", ">=", "+", "-", "*", "/", "%")},
}
# From weak to strong, by the first character.
_BINDING = ("|", "^", "&", "=!", "<>", ":", "+-", "*/%")
# What imports call `org.apache.spark.sql.functions`.
_MODULES = ("functions", "F", "f", "fn", "sf")
_COLUMNS = ("col", "column")
_COLLECTIONS = ("Seq", "List", "Set", "Array", "Vector")
_CONSTANTS = {"true": True, "false": False, "null": None}
# Functions that also take names of columns as texts.
_NAMES = re.compile(
    r"greatest|least|sqrt|a?(?:sin|cos|tan)h?|exp|log\w*|ceil|floor|round|min|max|sum|avg|count\w*"
)
_PUT_IN = re.compile(r"\$(?:\{([^}]*)\}|(\w+))")
_LONG = '"""'
_MARGIN = re.compile(r"(?<=\n)([ \t]*)\|")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r", '\\"': '"', "\\'": "'", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\.")


def text_of(token: Token) -> str:
    """A text without the margin that `stripMargin` takes off; what is put in is a parameter."""
    if token.end - token.inner[1] == len(_LONG):
        text = _MARGIN.sub(r"\1 ", token.value)
    else:
        text = _ESCAPE.sub(lambda one: _ESCAPES.get(one[0], one[0]), token.value)
    return _PUT_IN.sub(lambda put: parameter_of(put[1] or put[2]), text) if token.put else text


def is_column(tokens: Sequence[Token], at: int, frames: Container[str]) -> bool:
    """Whether `$"x"`, `'x`, `col("x")` or `df("x")` begins at a token."""
    token = tokens[at]
    if token.kind == "symbol" or (token.kind == "text" and token.put == "$"):
        return True
    called = tokens[at : at + 4]
    return (
        token.kind == "name"
        and (token.value in _COLUMNS or token.value in frames)
        and [(one.kind, one.value) for one in called[1:2]] == [("mark", "(")]
        and len(called) == 4
        and called[2].kind == "text"
        and called[3].value == ")"
    )


def sql_of(tokens: Sequence[Token], frames: Container[str]) -> str:
    """The SQL of a chain of columns. `frames` are the names of DataFrames. Raises NotRead, and RecursionError
    if it is nested too deeply.
    """
    reader = _Chain(tokens, frames)
    sql = reader.expression()
    if reader.at < len(tokens):
        raise NotRead
    return sql


class _Chain:
    """Reads one expression."""

    def __init__(self, tokens: Sequence[Token], frames: Container[str]) -> None:
        self.tokens = tokens
        self.frames = frames
        self.at = 0

    def here(self, *values: str, kinds: Container[str] = ("mark", "sign")) -> bool:
        """Whether the next token is one of these."""
        if self.at >= len(self.tokens):
            return False
        token = self.tokens[self.at]
        return token.kind in kinds and (not values or token.value in values)

    def next(self) -> Token:
        if self.at >= len(self.tokens):
            raise NotRead
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, value: str) -> None:
        if not self.here(value):
            raise NotRead
        self.at += 1

    def expression(self, least: int = -1) -> str:
        left = self.prefixed()
        while (binding := self.binding()) >= least and binding > -2:
            word = self.next()
            if word.kind == "sign":
                left = f"({left} {_SIGNS[word.value]} {self.expression(binding + 1)})"
            elif self.here("("):
                left = method(word.value, left, self.arguments())
            elif self.here(kinds=("text", "symbol", "number", "name")):
                left = method(word.value, left, [self.expression(0)])
            else:
                left = method(word.value, left, [])
        return left

    def binding(self) -> int:
        """How strongly the next operator binds; -1 for a method, -2 where none is."""
        if self.here(kinds=("name",)):
            return -1
        if not self.here(kinds=("sign",)):
            return -2
        sign = self.tokens[self.at].value
        if sign not in _SIGNS:
            raise NotRead
        return next(number for number, first in enumerate(_BINDING) if sign[0] in first)

    def prefixed(self) -> str:
        if self.here("!"):
            self.at += 1
            return f"(NOT ({self.prefixed()}))"
        if self.here("-"):
            self.at += 1
            return f"(-({self.prefixed()}))"
        return self.chain()

    def chain(self) -> str:
        """A value and the methods that are called on it."""
        value = self.value()
        while self.here("."):
            self.at += 1
            called = self.next().value
            if is_cast(called):
                self.expect("(")
                value = cast(value, self.kind())
            else:
                value = method(called, value, self.arguments() if self.here("(") else [])
        return value

    def value(self) -> str:
        if is_column(self.tokens, min(self.at, len(self.tokens) - 1), self.frames):
            return self.column()
        token = self.next()
        match token.kind:
            case "text":
                return literal(text_of(token))
            case "number":
                return _number(token.value)
            case "mark" if token.value == "(":
                sql = self.expression()
                self.expect(")")
                return f"({sql})"
            case "name" if token.value in _CONSTANTS:
                return literal(_CONSTANTS[token.value])
            case "name":
                return self.named(token)
            case _:
                raise NotRead

    def column(self) -> str:
        token = self.next()
        if token.kind == "name":
            self.at += 1
            token = self.next()
            self.at += 1
        if _PUT_IN.search(token.value) and token.put:
            raise NotRead
        return name(token.value)

    def named(self, token: Token) -> str:
        """A function, or a value of the program, which is a parameter."""
        path, start = [token.value], self.at - 1
        while self.here(".") and (path[0] in _MODULES or not self.is_method(self.at + 1)):
            self.at += 1
            path.append(self.next().value)
        if path[-1] in _COLUMNS and is_column(self.tokens, self.at - 1, ()):
            self.at -= 1
            return self.column()
        if len(path) == 1 or path[0] in _MODULES:
            if not self.here("("):
                return parameter_of(".".join(path))
            return self.function(path[-1])
        if self.here("("):
            self.skip()
        return parameter_of("".join(one.value for one in self.tokens[start : self.at]))

    def is_method(self, at: int) -> bool:
        """Whether a name is that of a method of columns, which a value has no part of the same name as."""
        try:
            return self.tokens[at].value in INFIX or bool(method(self.tokens[at].value, "x", ()))
        except (NotRead, IndexError):
            return False

    def skip(self) -> None:
        """Passes over the arguments of a call that gives a value of the program. Raises NotRead if they have
        columns.
        """
        depth = 0
        while True:
            if is_column(self.tokens, min(self.at, len(self.tokens) - 1), self.frames):
                raise NotRead
            token = self.next()
            depth += (token.value == "(") - (token.value == ")") if token.kind == "mark" else 0
            if not depth:
                return

    def function(self, called: str) -> str:
        """A function of `org.apache.spark.sql.functions`."""
        texts = any(one.kind == "text" and not one.put for one in self.tokens[self.at + 1 : self.at + 2])
        if called in ("when", "udf", "typedLit") or (texts and _NAMES.fullmatch(called)):
            raise NotRead
        if called == "expr" and texts:
            text = text_of(self.tokens[self.at + 1])
            self.at += 2
            self.expect(")")
            return f"({text})"
        args = self.arguments()
        if called in ("lit", "not") and len(args) == 1:
            return args[0] if called == "lit" else f"(NOT ({args[0]}))"
        return f"{called}({', '.join(args)})"

    def arguments(self) -> list[str]:
        """The arguments of a call, those in a collection one by one."""
        self.expect("(")
        result: list[str] = []
        while not self.here(")"):
            token = self.tokens[self.at] if self.at < len(self.tokens) else None
            if token is not None and token.kind == "name" and token.value in _COLLECTIONS:
                self.at += 1
                result += self.arguments()
            else:
                result.append(self.expression())
            for sign in (":", "_*", "_", "*"):
                self.at += self.here(sign, kinds=("sign", "name"))
            if not self.here(")"):
                self.expect(",")
        self.at += 1
        return result

    def kind(self) -> str:
        """The type of a cast, and the bracket behind it."""
        first = self.at
        depth = 1
        while depth:
            token = self.next()
            depth += (token.value == "(") - (token.value == ")") if token.kind == "mark" else 0
        return "".join(token.value for token in self.tokens[first : self.at - 1])


def _number(written: str) -> str:
    plain = written.replace("_", "")
    if plain[:2].lower() == "0x":
        return str(int(plain.rstrip("lL"), 16))
    if plain[-1] in "lL":
        return plain[:-1]
    return f"CAST({plain[:-1]} AS DOUBLE)" if plain[-1] in "fFdD" else plain
