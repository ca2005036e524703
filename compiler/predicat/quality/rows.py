"""The rows of broken bounds as one query: their key, the outcome of the filter, and the reason.

The engine works out all of it, from the conditions as filters have them: no value but the key leaves it, and
no row is cut. The reason is that of `explain`: `predicat.explain.explanation.reason`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from predicat.backends.sql import shown
from predicat.backends.sql.expressions import of_field
from predicat.backends.sql.names import quoted
from predicat.catalog.model import Dataset, Filter
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import coverage as say
from predicat.explain.explanation import inputs, is_combination
from predicat.explain.prose import describe
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node
from predicat.ir.operators import JUNCTIONS
from predicat.ir.types import BOOLEAN, STRING
from predicat.lower import core_of_part
from predicat.quality.outcome import Run
from predicat.quality.plan import Plan, members
from predicat.rewrite.substitute import at, with_defaults

# The columns after those of the key.
COLUMNS = tuple(
    f"predicat_{name}" for name in ("bound", "dataset", "filter", "partition", "outcome", "reason")
)
# Which rows break a bound, by whether the filter accepts the row ({0}), and its condition ({1}).
_OF_FILTER = {"at_least": "NOT {0}", "at_most": "{0}", "unknown_at_most": "({1}) IS NULL"}
# The same of a group: by how many of its filters accept the row ({0}), and whether this one does ({1}).
_OF_GROUP = {"exclusive": "{0} > 1 AND {1}", "exhaustive": "{0} = 0"}
_OUTCOME = "CASE WHEN {0} THEN 'TRUE' WHEN NOT {0} THEN 'FALSE' ELSE {1} END"
_JOINED: Mapping[str, Callable[[Sequence[str]], str]] = {
    "and": lambda parts: f"({' AND '.join(parts)})",
    "or": lambda parts: f"({' OR '.join(parts)})",
    "not": lambda parts: f"(NOT {parts[0]})",
    "is_true": lambda parts: f"COALESCE({parts[0]}, FALSE)",
}
# The outcome that one operand alone decides.
_STRONG = {"and": "NOT {}", "or": "{}"}
# PostgreSQL would put the conditions in the place of each use of their columns.
_FENCE = {"postgres": " OFFSET 0"}
# PostgreSQL's functions take at most 100 arguments.
_MOST = 90


class Asked(Struct, frozen=True):
    """The rows to write: those of some bounds, in some partitions by their numbers (none: all rows).

    `without` has the broken bounds that are about no rows of their own, such as `drift`.
    """

    plan: Plan
    bounds: Mapping[tuple[str, str], Sequence[int]]
    name: str = ""
    without: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        """The columns of the rows."""
        fields = self.plan.dataset.fields
        return [*(_name(fields[name], self.plan.engine) for name in self.plan.dataset.key), *COLUMNS]

    def sql(self, source: str, bad: Mapping[str, str] | None = None) -> str:
        """The query of all rows of what stands in FROM.

        `bad` has conditions for cells that are no values of their fields.
        """
        selects = [
            select
            for (name, kind), parts in self.bounds.items()
            for select in _selects(self, name, kind, parts, source, bad or {})
        ]
        return " UNION ALL ".join(selects or [_none(self, source)])


def check_key(dataset: Dataset) -> None:
    """Raise PredicatError for a dataset without a key, or whose key must not be shown."""
    if not dataset.key:
        raise PredicatError.of(say.rows_need_a_key(dataset.place("dataset"), dataset.name))
    hidden = next((name for name in dataset.key if dataset.fields[name].sensitive), None)
    if hidden is not None:
        raise PredicatError.of(say.rows_show_the_key(dataset.place("key"), dataset.name, hidden))


def asked(plan: Plan, runs: Sequence[Run], name: str = "") -> Asked:
    """The rows of the bounds that are broken in some runs, those of warnings too.

    `name` is the name that was given to the rows as a partition.
    """
    bounds: dict[tuple[str, str], list[int]] = {}
    without: dict[str, None] = {}
    numbers = {part: number for number, part in enumerate(plan.parts.parts)} if plan.parts is not None else {}
    for run in runs:
        for check in run.checks:
            if check.status not in ("fail", "warn"):
                continue
            if check.kind not in {*_OF_FILTER, *_OF_GROUP}:
                without[check.label] = None
            else:
                own = bounds.setdefault((check.name, check.kind), [])
                own += [numbers[run.part]] if run.part is not None else []
    return Asked(plan, bounds, name, list(without))


def _none(asked: Asked, source: str) -> str:
    """No rows, with the columns of rows."""
    texts = [f"'' AS {name}" for name in COLUMNS]
    return f"SELECT {', '.join([*_key(asked.plan), *texts])} FROM {source} WHERE FALSE"


def _key(plan: Plan) -> list[str]:
    """The columns of the key."""
    return shown.columns([plan.dataset.fields[name] for name in plan.dataset.key], plan.engine)


def _selects(
    asked: Asked, name: str, kind: str, parts: Sequence[int], source: str, bad: Mapping[str, str]
) -> Iterator[str]:
    plan, label = asked.plan, f"{name} {kind}"
    by_name = {item.qualified: item for item in plan.filters}
    if kind in _OF_FILTER:
        where = _OF_FILTER[kind].format(_accepted(plan, by_name[name]), plan.sql(name))
        yield _Row(asked, by_name[name], bad).select(label, where, source, parts)
        return
    group = [by_name[member] for member in members(plan.dataset, name.partition(".")[2])]
    hits = " + ".join(f"CASE WHEN {_accepted(plan, item)} THEN 1 ELSE 0 END" for item in group)
    for item in group:
        where = _OF_GROUP[kind].format(f"({hits})", _accepted(plan, item))
        yield _Row(asked, item, bad).select(label, where, source, parts)


def _accepted(plan: Plan, filter_: Filter) -> str:
    """Whether a filter accepts a row, as SQL that is never NULL."""
    return f"COALESCE({plan.sql(filter_.qualified)}, {str(filter_.on_unknown == 'accept').upper()})"


def _name(decl: FieldDecl, engine: str) -> str:
    """The column of a field of the key, as `shown.columns` calls it."""
    return decl.name if of_field(decl, engine) is not None else decl.column(engine)


class _Row(Struct):
    """What is worked out of a row in steps: the conditions and what is missing, then the combinations and
    which of their operands decides alone.

    `first` and `second` have the SQL of these columns, with their names.
    """

    asked: Asked
    filter: Filter
    bad: Mapping[str, str]
    first: dict[str, str] = field(default_factory=dict[str, str])
    second: dict[str, str] = field(default_factory=dict[str, str])

    def select(self, label: str, where: str, source: str, parts: Sequence[int]) -> str:
        """The rows for which a condition is TRUE."""
        plan = self.asked.plan
        engine = plan.engine
        value = self._first(plan.sql(self.filter.qualified))
        reason = self._reason(with_defaults(self.filter.current.predicate.surface))
        partition = self._text(self.asked.name)
        if parts:
            named = [(plan.part_sql(number), self._text(_part(plan, number))) for number in parts]
            partition = self._first(f"CASE {' '.join(f'WHEN {sql} THEN {text}' for sql, text in named)} END")
            where = f"({where}) AND ({' OR '.join(sql for sql, _ in named)})"
        texts = [*map(self._text, (label, plan.dataset.name, self.filter.qualified)), partition]
        texts += [_OUTCOME.format(value, "'UNKNOWN'"), reason]
        columns = [quoted(name, engine) for name in self.asked.names[: -len(COLUMNS)]]
        columns += [f"{text} AS {name}" for text, name in zip(texts, COLUMNS, strict=True)]
        fence = _FENCE.get(engine, "")
        inner = f"SELECT {_listed(_key(plan), self.first)} FROM {plan.rows_of(source)} WHERE {where}{fence}"
        middle = f"SELECT {_listed(['*'], self.second)} FROM ({inner}) AS predicat_1{fence}"
        return f"SELECT {', '.join(columns)} FROM ({middle}) AS predicat_2"

    def _text(self, text: str) -> str:
        return self.asked.plan.dialect.render(Literal(STRING, text))

    def _first(self, sql: str) -> str:
        return self.first.setdefault(sql, f"predicat_c{len(self.first)}")

    def _second(self, sql: str) -> str:
        return self.second.setdefault(sql, f"predicat_d{len(self.second)}")

    def _render(self, node: Node) -> str:
        """A column with the value of a part."""
        return self._first(self.asked.plan.dialect.render(at(node, self.asked.plan.now)))

    def _outcome(self, node: Node) -> str:
        """The outcome of a part, out of those of its conditions."""
        if isinstance(node, Call) and is_combination(node):
            return _JOINED[node.op]([self._outcome(part) for part in node.args])
        return self._render(core_of_part(node))

    def _reason(self, node: Node) -> str:
        """The conditions that decide a part, each with its outcome: the steps of `explanation.decisive`."""
        if not isinstance(node, Call) or not is_combination(node):
            return self._told(node)
        if node.op not in JUNCTIONS:
            return self._reason(node.args[0])
        outcomes = [self._outcome(part) for part in node.args]
        strong = [_STRONG[node.op].format(one) for one in outcomes]
        whens = " ".join(f"WHEN {one} THEN {place}" for place, one in enumerate(strong))
        alone = self._second(f"CASE {whens} ELSE -1 END")
        whole = self._second(_JOINED[node.op](outcomes))
        reasons = [
            f"CASE WHEN {alone} = {place} OR ({alone} < 0 AND {one} IS NOT DISTINCT FROM {whole}) "
            f"THEN {self._reason(part)} END"
            for place, (one, part) in enumerate(zip(outcomes, node.args, strict=True))
        ]
        return _joined("; ", reasons)

    def _told(self, node: Node) -> str:
        """A condition with its outcome, as `explanation.told` tells it."""
        missing: dict[str, str] = {}
        for name, part in inputs(node):
            test = self._render(Call(BOOLEAN, "is_null", (core_of_part(part),)))
            text = self._text(say.missing(name))
            if isinstance(part, Field) and part.decl.name in self.bad:
                wrong = self._first(self.bad[part.decl.name])
                text = f"CASE WHEN {wrong} THEN {self._text(say.unusable(name))} ELSE {text} END"
            missing[name] = f"CASE WHEN {test} THEN {text} END"
        why = self._text(say.UNUSABLE)
        if missing:
            why = f"COALESCE(NULLIF({_joined(', ', list(missing.values()))}, ''), {why})"
        told = _OUTCOME.format(self._outcome(node), f"concat('UNKNOWN (', {why}, ')')")
        return f"concat({self._text(f'{describe(node)}: ')}, {told})"


def _part(plan: Plan, number: int) -> str:
    assert plan.parts is not None  # noqa: S101  # it has a number
    return plan.parts.parts[number].name


def _listed(plain: Sequence[str], computed: Mapping[str, str]) -> str:
    return ", ".join([*plain, *(f"{sql} AS {name}" for sql, name in computed.items())])


def _joined(between: str, parts: Sequence[str]) -> str:
    """The texts that are not NULL, with something between them."""
    while len(parts) > _MOST:
        groups = [parts[place : place + _MOST] for place in range(0, len(parts), _MOST)]
        parts = [f"NULLIF({_joined(between, group)}, '')" for group in groups]
    return f"concat_ws('{between}', {', '.join(parts)})"
