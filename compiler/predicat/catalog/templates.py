"""Jinja in filter bodies, as in dbt: macros, `{{ filter('x') }}`, `{{ var('x') }}`; strict about names, and
bounded (see `sandbox`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from predicat.diagnostics import Diagnostic, PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import templates as say_templates
from predicat.diagnostics.reading import text_of

MAX_OUTPUT = 100_000
# How the links begin that Emacs keeps beside a file with changes; they lead nowhere.
LOCKS = ".#"
_REFERENCE = {"sql": "matches_filter('{}')", "cel": 'filter("{}")'}
_WORD = re.compile(r"\w+")
# What a function raises for arguments that it does not take.
_FAILURES = (ValueError, TypeError, OverflowError, ArithmeticError, AttributeError, LookupError)
# What Python raises for code that is nested too deeply for it.
_TOO_DEEP = (RecursionError, MemoryError, SyntaxError)


def is_template(text: str) -> bool:
    """Whether a body contains Jinja."""
    return "{{" in text or "{%" in text or "{#" in text


class Templates:
    """Renders bodies. The macros of every .sql file in the macro folder can be called by name."""

    def __init__(self, macros: Path | None, variables: Mapping[str, Any]) -> None:
        self.folder = macros
        self.variables = variables
        self._environment: Any = None
        self._problem: PredicatError | None = None
        self._macros: dict[str, Any] = {}

    def renew(self) -> None:
        """Give the templates their budget again: what follows is another reading of the catalog."""
        if self._environment is not None:
            self._environment.budget.renew()

    def render(self, body: Source, language: str) -> Source:
        """The rendered body as a source whose places point through the template into the file. Raises
        PredicatError.
        """
        text = body.text
        if not is_template(text):
            return body
        whole = Span(body, 0, len(text))
        environment = self._loaded()
        with self._as_problems(body, whole):
            template = environment.from_string(text)
            filter_ = environment.function("filter", lambda name: _reference(language, name))
            context = template.new_context({**self._macros, "filter": filter_})
            rendered, offsets = _with_origins(text, environment, template.root_render_func(context))
        if len(rendered) > MAX_OUTPUT:
            raise PredicatError.of(msg.too_large(whole, len(rendered), MAX_OUTPUT))
        return Source(body.name, rendered, body, offsets)

    @contextmanager
    def _as_problems(self, source: Source, place: Span) -> Iterator[None]:
        """What Jinja raises, as a problem of the author. Raises PredicatError."""
        import jinja2  # noqa: PLC0415  # only where a body is a template

        try:
            yield
        except jinja2.TemplateSyntaxError as error:
            raise PredicatError.of(_syntax(source, error)) from None
        except jinja2.UndefinedError as error:
            raise PredicatError.of(self._undefined(source, place, str(error.message))) from None
        except (jinja2.TemplateError, *_FAILURES) as error:
            raise PredicatError.of(say_templates.not_rendered(place, error)) from None
        except _TOO_DEEP:
            raise PredicatError.of(say_templates.template(place, say_templates.TOO_DEEP)) from None

    def _undefined(self, source: Source, place: Span, reason: str) -> Diagnostic:
        name = reason.split("'")[1] if "'" in reason else ""
        at = source.text.find(name) if name else -1
        span = Span(source, at, at + len(name)) if at >= 0 else place
        return say_templates.undefined(span, name, reason, {*self._macros, "var", "filter"})

    def _var(self, name: str, default: Any = None) -> Any:
        if name in self.variables:
            return self.variables[name]
        if default is not None:
            return default
        raise say_templates.NoVariable(name, self.variables)

    def _loaded(self) -> Any:
        """The environment with all macros. Raises PredicatError, the same each time: it is one problem,
        however many filters have it.
        """
        if self._problem is not None:
            raise self._problem
        if self._environment is None:
            from predicat.catalog.sandbox import Budget, Sandbox  # noqa: PLC0415  # as above

            environment = Sandbox(Budget())
            self._macros["var"] = environment.function("var", self._var)
            try:
                for file in sorted(self.folder.rglob("*.sql")) if self.folder else []:
                    if not file.name.startswith(LOCKS):
                        self._load(environment, file)
            except PredicatError as problem:
                self._problem = problem
                raise
            self._environment = environment
        return self._environment

    def _load(self, environment: Any, file: Path) -> None:
        source = Source(str(file), text_of(file))
        with self._as_problems(source, Span(source, 0, 0)):
            module = environment.from_string(source.text, globals=dict(self._macros)).module
        self._macros.update(
            {
                name: value
                for name, value in vars(module).items()
                if callable(value) and not name.startswith("_")
            }
        )


def _syntax(source: Source, error: Any) -> Diagnostic:
    """A Jinja syntax error, at its line, or at an opening tag that is not closed."""
    text, line = source.text, _line_span(source, error.lineno)
    for opening, closing in (("{{", "}}"), ("{%", "%}"), ("{#", "#}")):
        at = text.rfind(opening, 0, line.end)
        if at >= 0 and text.find(closing, at) < 0:
            return say_templates.unclosed(Span(source, at, at + 2), closing)
    return say_templates.syntax(line, str(error.message))


def _reference(language: str, name: object) -> str:
    if language not in _REFERENCE:
        raise ValueError(say.no_reference(language))
    return _REFERENCE[language].format(_name(name))


def _name(name: object) -> str:
    text = str(name)
    if not all(char.isalnum() or char in "._@" for char in text):
        raise ValueError(say.no_filter_name(text))
    return text


def _line_span(source: Source, number: int) -> Span:
    start = sum(len(line) + 1 for line in source.text.split("\n")[: number - 1])
    return Span(source, start, start + max(len(source.line(number)), 1))


def _with_origins(template: str, environment: Any, pieces: Iterator[str]) -> tuple[str, list[int]]:
    """The output, and for each of its characters the origin in the template: the same character, or a
    `{{ ... }}`. A piece of the output is the result of an expression, or text of the template.
    """
    output: list[str] = []
    offsets: list[int] = []
    places: dict[str, int] = {}
    at = 0
    for piece in pieces:
        if piece is environment.printed:
            offsets += _in_expression(template, max(template.find("{{", at), 0), piece)
        else:
            found = template.find(piece, at)
            if found < 0:  # the next iteration of a loop begins
                if piece not in places:
                    places[piece] = template.find(piece)
                found = places[piece]
            if found < 0:  # two texts with a comment between them
                offsets += [at] * len(piece)
            else:
                at = found + len(piece)
                offsets += range(found, at)
        output.append(piece)
    return "".join(output), offsets


def _in_expression(template: str, start: int, result: str) -> list[int]:
    """The origins of the result of an expression: a word that the expression has, such as an argument of a
    macro, comes from there, all else from its beginning.
    """
    end = template.find("}}", start)
    words = {match[0]: match.start() for match in _WORD.finditer(template, start, max(end, start))}
    offsets = [start] * len(result)
    for match in _WORD.finditer(result) if words else ():
        at = words.get(match[0])
        if at is not None:
            offsets[match.start() : match.end()] = range(at, at + len(match[0]))
    return offsets
