"""Reads sqlglot's nodes, each by its rule in a table, and finds the span of each in the condition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from sqlglot import exp

from predicat.diagnostics import Diagnostic, Reporter, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import sql as say
from predicat.ir import syntax as t
from predicat.ir.limits import MAX_DEPTH
from predicat.language.common.trees import apply
from predicat.language.sql.languages import SqlLanguage
from predicat.language.sql.refusals import NODES, OTHER_NAMES, WRITTEN_OTHERWISE
from predicat.language.sql.refused_functions import REFUSED
from predicat.language.sql.spans import OPERATORS, SpanIndex
from predicat.language.sql.tokens import MARK

# The longest part of a condition that a message repeats.
MAX_SHOWN = 40

# A function of the reader, a node and its depth that returns the untyped tree. Raises Stop.
Build = Callable[["Reader", exp.Expr, int], t.Tree]

# The class of a node, or the name of a function in lower case.
Key = type[exp.Expr] | str

# The arguments that a node may have (None: any), and the function that reads it.
Rule = tuple[frozenset[str] | None, Build]


class RuleTable(Struct, frozen=True):
    """How a language reads each node and each function.

    Attributes:
        rules: The rule of each key.
        known: Names of functions, suggested for a misspelt name.
    """

    rules: Mapping[Key, Rule]
    known: Sequence[str]


class Stop(Exception):
    """A part of the condition has a problem, which is already reported. `parts` are trees inside of it that
    were read.
    """

    def __init__(self, parts: Iterable[t.Tree] = ()) -> None:
        super().__init__()
        self.parts = tuple(parts)


class Reader:
    """Reads sqlglot's nodes. All problems are collected."""

    def __init__(
        self, source: Source, whole: Span, spans: SpanIndex, language: SqlLanguage, table: RuleTable
    ) -> None:
        self.source = source
        self.language = language
        self.table = table
        self.whole = whole
        self.reporter = Reporter()
        self.spans = spans
        self.extents: dict[int, tuple[int, int]] = {}
        # The start and end offset of each word without a place of its own, by the identity of its node.
        self.words: dict[int, tuple[int, int]] = {}

    def fail(self, diagnostic: Diagnostic) -> Stop:
        """Reports a problem. The caller raises the result."""
        self.reporter.add(diagnostic)
        return Stop()

    def span(self, node: exp.Expr) -> Span:
        """The span of a node, from the tokens in it."""
        low, high = self.extent(node)
        return Span(self.source, low, high) if high >= 0 else self.whole

    def extent(self, node: exp.Expr) -> tuple[int, int]:
        """The start and end offset of a node. Computed once, and without recursion: chains may be long."""
        if id(node) not in self.extents:
            self.words.update(self.spans.places(node))
            result = [(node, _placed(node))]
            for _, parts in result:
                result.extend([(part, _placed(part)) for part in parts])
            for part, parts in reversed(result):
                self.extents[id(part)] = self.around(part, parts)
        return self.extents[id(node)]

    def stands_before(self, one: exp.Expr, other: exp.Expr) -> bool:
        """Whether a node comes before another in the condition."""
        return 0 <= self.extent(one)[1] <= self.extent(other)[0] < len(self.source.text)

    def around(self, node: exp.Expr, parts: list[exp.Expr]) -> tuple[int, int]:
        """The extent of a node, from the extents of its parts."""
        meta = node.meta
        low, high = (
            (meta["start"], meta["end"] + 1)
            if meta.get("end") is not None
            else self.words.get(id(node), (len(self.source.text), -1))
        )
        if id(node) in self.words and not parts:
            return low, high
        for part in parts:
            first, last = self.extents[id(part)]
            if last >= 0:
                low, high = min(low, first), max(high, last)
        return self.spans.extent(node, low, high) if parts or isinstance(node, exp.Func) else (low, high)

    def read(self, node: exp.Expr | None, depth: int) -> t.Tree:
        """The tree of a node. Raises Stop if it is not supported; the reporter has the problem."""
        if node is None:
            raise self.fail(say.missing_operand(self.whole))
        if depth > MAX_DEPTH * 3:
            raise self.fail(msg.too_deep(self.span(node), MAX_DEPTH))
        try:
            allowed, build = self.rule(node)
        except Stop:
            if isinstance(node, exp.Anonymous):  # the arguments may have problems of their own
                raise Stop(self.all(node.expressions, depth + 1)) from None
            raise
        for name, value in node.args.items():
            if value and allowed is not None and name not in allowed:
                raise self.fail(self.unsupported(self.foreign(node, value)))
        return build(self, node, depth + 1)

    def rule(self, node: exp.Expr) -> tuple[frozenset[str] | None, Build]:
        """The rule of a node's class, or of its function name. Raises Stop if there is none."""
        rules = self.table.rules
        rule = rules.get(type(node))
        if rule is None and isinstance(node, exp.Func) and type(node) not in NODES:
            rule = rules.get(self.called_name(node))
        if rule is None:
            raise self.fail(self.unsupported(node))
        return rule

    def unsupported(self, node: exp.Expr) -> Diagnostic:
        """The message for a node without a rule. It says what to write instead, if known."""
        negated = isinstance(node, exp.Not) and isinstance(node.this, exp.RegexpILike)
        result = node.this if negated else node
        what, hint = next((row for kind, row in NODES.items() if isinstance(result, kind)), (None, None))
        name = self.called_name(node) if isinstance(node, exp.Func) else ""
        if name in REFUSED or name in OTHER_NAMES:
            instead = REFUSED.get(name) or OTHER_NAMES[name]
            return msg.unsupported_syntax(self.span(node), what or name, instead)
        if isinstance(node, exp.AggFunc):
            return say.aggregate(self.span(node), name)
        if what is None and name:
            if type(node) not in self.table.rules:
                return say.unknown_function(self.span(node), name, self.table.known)
            what = name
        what = what or self.written(node)
        hint = hint or WRITTEN_OTHERWISE.get(what.removeprefix("the operator ").upper())
        return msg.unsupported_syntax(self.span(node), what, hint)

    @staticmethod
    def foreign(node: exp.Expr, value: object) -> exp.Expr:
        """The part of a node that is not supported: the subquery in it, or the whole node."""
        return value if isinstance(value, exp.Query) else node

    def written(self, node: exp.Expr) -> str:
        """An operator as written in the condition: the text between its operands, or the whole node."""
        parts = [
            self.extent(part)
            for part in (node.args.get("this"), node.args.get("expression"))
            if isinstance(part, exp.Expr)
        ]
        between = (
            self.source.text[parts[0][1] : parts[1][0]].strip("() \t\n")
            if len(parts) == 2 and parts[0][1] >= 0
            else ""
        )
        if between and len(between) <= MAX_SHOWN:
            return f"the operator {between}"
        text = " ".join(self.span(node).text.split())
        return repr(text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "...")

    def called_name(self, node: exp.Expr) -> str:
        """The name of a function as written in the condition, in lower case."""
        if isinstance(node, exp.Anonymous):
            return str(node.this).removeprefix(MARK).lower()
        result = self.spans.called_name(self.extent(node)[0])
        if result or isinstance(node, OPERATORS):
            return result
        return self.span(node).text.partition("(")[0].lower()

    def all(self, nodes: list[exp.Expr], depth: int) -> tuple[t.Tree, ...]:
        """The trees of several nodes. Problems of all of them are reported before Stop is raised."""
        out: list[t.Tree] = []
        stopped = False
        for node in nodes:
            try:
                out.append(self.read(node, depth))
            except Stop as stop:
                stopped = True
                out += stop.parts
        if stopped:
            raise Stop(out)
        return tuple(out)

    def apply(self, op: str, node: exp.Expr, *parts: exp.Expr, depth: int) -> t.Tree:
        """A call of an operator with the trees of `parts` and the span of `node`."""
        return apply(op, self.span(node), *self.all(list(parts), depth))


def _placed(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a node, without the type of a cast: some dialects write NUMBER as a type that sqlglot
    reads from a text of its own, whose places are not those of the condition.
    """
    return [part for part in node.iter_expressions() if not isinstance(part, exp.DataType)]
