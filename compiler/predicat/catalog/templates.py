"""Jinja in filter bodies, as in dbt: macros, `{{ filter('x') }}`, `{{ var('x') }}`; sandboxed, strict
about names.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from predicat.diagnostics import Diagnostic, PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import templates as say_templates
from predicat.diagnostics.reading import reading

MAX_OUTPUT = 100_000
LOCKS = ".#"
"""How the links begin that Emacs keeps beside a file with changes; they lead nowhere."""
_REFERENCE = {"sql": "matches_filter('{}')", "cel": 'filter("{}")'}


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

    def render(self, body: Source, language: str) -> Source:
        """The rendered body as a source whose places point through the template into the file. Raises
        PredicatError.
        """
        text = body.text
        if not is_template(text):
            return body
        import jinja2  # noqa: PLC0415  # only where a body is a template

        whole = Span(body, 0, len(text))
        try:
            environment = self._loaded()
            template = environment.from_string(text)
            rendered = template.render(
                **self._macros, var=self._var, filter=lambda name: _reference(language, name)
            )
        except jinja2.TemplateSyntaxError as error:
            raise PredicatError.of(_syntax(body, error)) from None
        except jinja2.UndefinedError as error:
            known = [*self._macros, "var", "filter"]
            name = str(error.message).split("'")[1] if "'" in str(error.message) else ""
            at = text.find(name) if name else -1
            span = Span(body, at, at + len(name)) if at >= 0 else whole
            raise PredicatError.of(say_templates.undefined(span, name, str(error.message), known)) from None
        except (
            jinja2.TemplateError,
            ValueError,
            TypeError,
            OverflowError,
            ArithmeticError,
            AttributeError,
        ) as error:
            raise PredicatError.of(say_templates.not_rendered(whole, error)) from None
        if len(rendered) > MAX_OUTPUT:
            raise PredicatError.of(msg.too_large(whole, len(rendered), MAX_OUTPUT))
        return Source(body.name, rendered, body, _trace(text, rendered))

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
            from jinja2 import StrictUndefined  # noqa: PLC0415  # as above
            from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415  # as above

            environment = ImmutableSandboxedEnvironment(
                undefined=StrictUndefined, autoescape=False
            )  # no HTML
            environment.globals.clear()
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
        import jinja2  # noqa: PLC0415  # as above

        with reading(str(file)):
            source = Source(str(file), file.read_text(encoding="utf-8"))
        try:
            module = environment.from_string(source.text, globals={**self._macros, "var": self._var}).module
        except jinja2.TemplateSyntaxError as error:
            raise PredicatError.of(_syntax(source, error)) from None
        except (
            jinja2.TemplateError,
            ValueError,
            TypeError,
            OverflowError,
            ArithmeticError,
            AttributeError,
        ) as error:
            raise PredicatError.of(
                say_templates.template(Span(source, 0, 0), str(error) or type(error).__name__)
            ) from None
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


def _trace(template: str, rendered: str) -> list[int]:
    """For each character of the output its origin in the template: the same character, or a `{{ ... }}`."""
    from difflib import SequenceMatcher  # noqa: PLC0415  # only for templates

    offsets = [-1] * len(rendered)
    for block in SequenceMatcher(None, template, rendered, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            offsets[block.b + step] = block.a + step
    last = max(template.find("{{"), 0)
    for index, offset in enumerate(offsets):
        if offset < 0:
            offsets[index] = last
        else:
            last = offset
    return offsets
