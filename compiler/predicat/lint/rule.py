"""Lint rules, their findings, and their context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.catalog.model import Catalog, Dataset, Filter
from predicat.diagnostics import NOWHERE, Diagnostic, Severity, Span
from predicat.ir.canonical import proof_text
from predicat.ir.nodes import Node
from predicat.lint.answers import Answers, T
from predicat.lint.trials import Trial, rows
from predicat.lower import core_of_part
from predicat.proof.compare import PROVED, Outcome, compare_nodes, example
from predicat.proof.own_errors import with_own_errors
from predicat.rewrite.substitute import with_defaults

# How many rows the filters of a group are tried on before proofs.
_TRIED, _TRIED_OF_EACH = 100, 8


class Fix(Struct, frozen=True):
    """A replacement for a span of a filter's body. It is only applied if the filter provably accepts the same
    rows.
    """

    span: Span
    text: str


class Finding(Struct, frozen=True):
    """A finding of a rule: the filter (or dataset, or group), the place, a hint, and perhaps a fix.

    `filters` are the filters that it is about, if they are not the named one. `level` is the level of the
    rule. `key` is what stays the same if files get other names, if that is not its name, message and text.
    """

    code: str
    name: str
    message: str
    span: Span = NOWHERE
    hint: str | None = None
    fix: Fix | None = None
    filters: tuple[str, ...] = ()
    level: Severity = Severity.WARNING
    key: str = ""

    @property
    def about(self) -> frozenset[str]:
        """The filters that it is about, or the name of another object."""
        return frozenset(self.filters or (self.name,))

    def diagnostic(self) -> Diagnostic:
        """The finding as a diagnostic with its code."""
        return Diagnostic(self.code, f"{self.name}: {self.message}", self.span, self.hint, self.level)


class Group(Struct, frozen=True):
    """A group of a dataset: its existing filters, with the predicates of their latest versions and the
    defaults of their parameters.
    """

    name: str
    exclusive: bool
    exhaustive: bool
    members: list[Filter]
    nodes: list[Node]

    def tried(self) -> Iterator[Mapping[str, object]]:
        """Rows around the constants of all members, and further ones for each member."""
        yield from rows(self.nodes, _TRIED)
        for node in self.nodes:
            yield from rows([node], _TRIED_OF_EACH)


class Context(Struct):
    """A catalog under review. `effort` is that of `compare` for each question, `answers` has the
    known answers.
    """

    catalog: Catalog
    effort: float = 1.0
    answers: Answers = field(default_factory=Answers)
    trials: dict[str, Trial] = field(default_factory=dict[str, Trial])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    told: Sequence[Finding] = ()
    """What was found in a database."""

    @property
    def datasets(self) -> Mapping[str, Dataset]:
        """The datasets of the catalog by name."""
        return self.catalog.datasets

    def filters(self) -> Iterator[tuple[Filter, Node]]:
        """Every filter with the core predicate of its latest version, which is evaluated."""
        for filter_ in self.catalog.filters():
            yield filter_, filter_.current.predicate.node

    def surfaces(self) -> Iterator[tuple[Filter, Node]]:
        """Every filter with the surface predicate of its latest version: the conditions that its author
        wrote.
        """
        for filter_ in self.catalog.filters():
            yield filter_, filter_.current.predicate.surface

    def groups(self) -> Iterator[Group]:
        """Every group of every dataset."""
        for dataset in self.datasets.values():
            for name, spec in dataset.groups.items():
                members = [dataset.filters[member] for member in spec.filters if member in dataset.filters]
                nodes = [with_defaults(member.current.predicate.node) for member in members]
                yield Group(
                    f"{dataset.name}.{name}",
                    spec.exclusive and "exclusive" not in spec.limits,
                    spec.exhaustive and "exhaustive" not in spec.limits,
                    members,
                    nodes,
                )

    def text(self, filter_: Filter) -> str:
        """The text of a filter's predicate in questions."""
        if filter_.qualified not in self.texts:
            self.texts[filter_.qualified] = proof_text(filter_.current.predicate.node)
        return self.texts[filter_.qualified]

    def trial(self, filter_: Filter) -> Trial:
        """The outcomes of a filter's predicate on rows around its constants."""
        if filter_.qualified not in self.trials:
            self.trials[filter_.qualified] = Trial(filter_.current.predicate.node)
        return self.trials[filter_.qualified]

    def never(self, filter_: Filter, outcome: Outcome) -> bool:
        """Whether a filter's predicate provably never has an outcome."""

        def answer() -> bool:
            return (
                not self.trial(filter_).shows(outcome)
                and example(filter_.current.predicate.node, outcome, self.effort)[0] == "none"
            )

        return self.ask(("never", str(outcome), self.text(filter_)), answer)

    def compared(
        self, before: Node, after: Node, on_unknown: tuple[str, str], languages: tuple[str, str]
    ) -> str:
        """The effect of the second predicate on the rows of the first, as the kind of a verdict; "open" if
        nothing is proved. Both may be parts of a surface predicate.

        It holds also with the errors of the `languages` of the two, see `own_errors`.
        """
        before, after = core_of_part(before), core_of_part(after)
        own = with_own_errors(languages[0], before), with_own_errors(languages[1], after)
        kind = self._kind(before, after, on_unknown)
        return kind if own == (before, after) or self._kind(*own, on_unknown) == kind else "open"

    def _kind(self, before: Node, after: Node, on_unknown: tuple[str, str]) -> str:
        def answer() -> str:
            verdict = compare_nodes(before, after, on_unknown, self.effort)
            return verdict.kind if verdict.proof == PROVED else "open"

        return self.ask(("compared", *on_unknown, proof_text(before), proof_text(after)), answer)

    def ask(self, question: tuple[object, ...], answer: Callable[[], T]) -> T:
        """The answer to a question about predicates, cached together with its time limit."""
        return self.answers.ask((*question, self.effort), answer)


class Rule(Struct, frozen=True):
    """A rule: its code, its name, one line of documentation, and a generator of findings.

    `level`: an error is certainly wrong, a warning probably wrong, a note is only information. `whole`: the
    rule needs all files of the catalog, not only those of one dataset. `over`: the codes of more general
    rules that find the same cause; their findings at the same place and of the same filters are dropped.
    """

    code: str
    name: str
    doc: str
    check: Callable[[Context], Iterator[Finding]]
    level: Severity = Severity.WARNING
    over: tuple[str, ...] = ()
    whole: bool = False

    def findings(self, context: Context, *, asked: bool = False) -> Iterator[Finding]:
        """The findings with the level of the rule. A note becomes a warning if its rule is selected
        explicitly.
        """
        level = Severity.WARNING if asked and self.level is Severity.NOTE else self.level
        for item in self.check(context):
            yield replace(item, level=level)


def without_repeats(findings: Sequence[Finding], rules: Iterable[Rule]) -> list[Finding]:
    """The findings without those whose cause a more specific rule found."""
    over = {rule.code: rule.over for rule in rules}
    specific: dict[str, list[Finding]] = {}
    for item in findings:
        for code in over.get(item.code, ()):
            specific.setdefault(code, []).append(item)
    return [
        item for item in findings if not any(_explains(other, item) for other in specific.get(item.code, ()))
    ]


def _explains(one: Finding, other: Finding) -> bool:
    """Whether two findings are about the same filters and, if both have a part of a body, the same part."""
    if not one.about <= other.about:
        return False
    if one.span.source.outer is None or other.span.source.outer is None:
        return True
    a, b = one.span.outermost(), other.span.outermost()
    return a.start < b.end and b.start < a.end
