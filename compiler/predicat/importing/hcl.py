"""Terraform's HCL as the data that Terraform's JSON syntax has: `{resource: {type: {name: {...}}}}`, with
places.

An expression is a text `${...}`, as it is there, but for constants, lists, objects and `jsonencode` of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from predicat.diagnostics import PredicatError, Source, Span, extras
from predicat.diagnostics.messages import importing as say
from predicat.importing.located import listed, mapping, text

if TYPE_CHECKING:
    from lark import Token, Tree

    Part = Tree[Token] | Token

_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(["\\nrt]))')
_HEREDOC = re.compile(r"<<(-?)[ \t]*(\w+)[ \t\r]*\n(.*)\n?^[ \t]*\2\Z", re.DOTALL | re.MULTILINE)
_BEHIND = re.compile(r"(<<-?[ \t]*\w+|^[ \t]*[A-Za-z_]\w*)([ \t]+)\n", re.MULTILINE)
_WORDS = {"true": True, "false": False, "null": None}


def parse(source: Source) -> dict[str, Any]:
    """The data of a Terraform file. Raises PredicatError for what is no HCL, or where the package that
    reads it is missing.
    """
    extras.require("hcl2")
    import hcl2  # noqa: PLC0415  # an optional package
    from lark.exceptions import UnexpectedInput  # noqa: PLC0415  # as above

    try:
        tree: Any = hcl2.parses_to_tree(_without_blanks(source.text))
    except UnexpectedInput as error:
        start = min(max(error.pos_in_stream or 0, 0), max(len(source.text) - 1, 0))
        raise PredicatError.of(say.invalid_hcl(Span(source, start, start + 1))) from None
    except RecursionError:
        raise PredicatError.of(say.hcl_too_deep(Span(source, 0, 1))) from None
    return _ModuleReader(source).body(tree.children[0])


def _without_blanks(content: str) -> str:
    """The text without blanks behind the marks of heredocs, which Terraform takes and the parser does not.
    No character changes its place.
    """
    return _BEHIND.sub(r"\1\n\2", content.replace("\r\n", " \n"))


def _rule(part: Part) -> str:
    """The name of a rule; that of a token."""
    return str(getattr(part, "data", None) or getattr(part, "type", ""))


def _parts(part: Any) -> list[Any]:
    return [child for child in part.children if child is not None and _rule(child) != "new_line_or_comment"]


class _ModuleReader:
    def __init__(self, source: Source) -> None:
        self.source = source

    def span(self, part: Part) -> Span:
        """From the first token of a part to its last."""
        tokens = list(_tokens(part))
        start = tokens[0].start_pos or 0
        return Span(self.source, start, max(tokens[-1].end_pos or 0, start + 1))

    def body(self, part: Any) -> dict[str, Any]:
        """The attributes and blocks of a body; blocks of one kind at one place become a list."""
        body = mapping((), self.span(part) if list(_tokens(part)) else Span(self.source, 0, 1))
        for child in _parts(part):
            if _rule(child) == "attribute":
                name, value = child.children[0], child.children[-1]
                body[self.word(name)] = self.value(value)
                body.key_spans[self.word(name)] = self.span(name)
            elif _rule(child) == "block":
                self.block(body, child)
        return body

    def block(self, into: Any, part: Any) -> None:
        labels = [child for child in part.children if _rule(child) in ("identifier", "string")]
        inner = next((child for child in part.children if _rule(child) == "body"), None)
        body = self.body(inner) if inner is not None else mapping((), self.span(part))
        for label in labels[:-1]:
            name = self.word(label)
            into.key_spans.setdefault(name, self.span(label))
            into = into.setdefault(name, mapping((), self.span(label)))
        last = self.word(labels[-1])
        into.key_spans.setdefault(last, self.span(labels[-1]))
        if len(labels) > 1:
            into[last] = body
        else:
            into.setdefault(last, listed((), self.span(part))).append(body)

    def word(self, part: Any) -> str:
        return "".join(str(token) for token in _tokens(part)).strip('"')

    # --- values

    def value(self, part: Any) -> Any:
        rule = _rule(part)
        children = _parts(part) if hasattr(part, "children") else []
        if rule == "expr_term" and len(children) == 1:
            return self.value(children[0])
        if rule == "expr_term" and len(children) == 3 and str(next(_tokens(children[0]))) == "(":
            return self.value(children[1])
        match rule:
            case "tuple":
                return listed(
                    [
                        self.value(child)
                        for child in children
                        if _rule(child) not in ("COMMA", "LSQB", "RSQB")
                    ],
                    self.span(part),
                )
            case "object":
                return self.object(part)
            case "string":
                return self.string(part)
            case "heredoc_template" | "heredoc_template_trim":
                return self.heredoc(part)
            case "int_lit" | "float_lit":
                digits = self.word(part)
                return int(digits) if rule == "int_lit" else float(digits)
            case "literal_value":
                return _WORDS.get(self.word(part), self.word(part))
            case "function_call" if self.word(children[0]) == "jsonencode":
                arguments = next((child for child in children if _rule(child) == "arguments"), None)
                if arguments is not None and len(_parts(arguments)) == 1:
                    return self.value(_parts(arguments)[0])
        return self.expression(part)

    def object(self, part: Any) -> dict[str, Any]:
        elements = [child for child in _parts(part) if _rule(child) == "object_elem"]
        return mapping(
            (
                (
                    self.key(element.children[0]),
                    self.value(element.children[-1]),
                    self.span(element.children[0]),
                )
                for element in elements
            ),
            self.span(part),
        )

    def key(self, part: Any) -> str:
        text = self.raw(part)
        return (
            text[1:-1]
            if text[:1] == '"'
            else text
            if re.fullmatch(r"[\w-]+", text)
            else f"${{{text.strip('()')}}}"
        )

    def string(self, part: Any) -> str:
        return text(_ESCAPE.sub(_unescaped, self.raw(part)[1:-1]), self.span(part))

    def heredoc(self, part: Part) -> str:
        span = self.span(part)
        match = _HEREDOC.match(self.source.text[span.start : span.end].rstrip())
        if match is None:
            return self.expression(part)
        inner = Span(
            self.source,
            span.start + match.start(3),
            max(span.start + match.end(3), span.start + match.start(3) + 1),
        )
        return text(match[3], inner)

    def expression(self, part: Part) -> str:
        return text(f"${{{self.raw(part)}}}", self.span(part))

    def raw(self, part: Part) -> str:
        return self.span(part).text


def _tokens(part: Any) -> Iterator[Token]:
    if not hasattr(part, "children"):
        yield part
        return
    for child in part.children:
        if child is not None:
            yield from _tokens(child)


def _unescaped(match: re.Match[str]) -> str:
    number = match[1] or match[2]
    return chr(int(number, 16)) if number else {"n": "\n", "r": "\r", "t": "\t"}.get(match[3], match[3])
