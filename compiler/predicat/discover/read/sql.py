"""The conditions of a text of SQL, with their places."""

import re
from collections.abc import Callable, Iterator, Mapping

from sqlglot import TokenType, exp

from predicat.diagnostics import Source, Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused, SourceRange
from predicat.discover.read.clauses import ClauseCondition, clause_conditions
from predicat.discover.read.relations import OTHER, Columns, is_known
from predicat.discover.read.residues import PARAMETER, Residue, residues
from predicat.discover.read.statements import Statement, statements
from predicat.discover.read.variables import arguments, variables
from predicat.language.sql.node_reader import Reader
from predicat.language.sql.reader import SQL, TABLE
from predicat.language.sql.spans import SpanIndex

MAX_SHOWN = 200
_VARIABLE = re.compile(rf"'?{PARAMETER}(\w+)'?")
_CLAUSES = (TokenType.WHERE, TokenType.WHEN, TokenType.CONSTRAINT, TokenType.JOIN)
_WITHOUT_CONDITIONS = (exp.Command, exp.Set, exp.Use, exp.Drop, exp.Comment, exp.Grant)


def shown(text: str) -> str:
    """A text in one line, as long as a report shows it."""
    return " ".join(text.split())[:MAX_SHOWN]


class SqlText:
    """A text of SQL out of a file. `place` gives the place of a range of it in the file, and whether the
    range is written there as it is.
    """

    def __init__(
        self, text: str, dialect: str, place: Callable[[int, int], tuple[SourceRange, bool]], columns: Columns
    ) -> None:
        self.text = text
        self.dialect = dialect
        self.place = place
        self.columns = columns
        self.variables: frozenset[str] = frozenset()

    def read(self) -> Iterator[Condition | Refused]:
        """The conditions, and what was not read."""
        read = statements(self.text, self.dialect)
        if read is None:
            yield self.refused(0, min(len(self.text), MAX_SHOWN), say.NO_TOKENS)
            return
        for statement in read:
            self.variables |= variables(statement.tokens)
            if statement.node is None:
                self.variables |= arguments(statement.tokens)  # a procedure, whose statements come next
                yield self.refused(statement.start, statement.end, statement.reason)
            elif isinstance(statement.node, exp.Command) and _tells_rows(statement):
                yield self.refused(statement.start, statement.end, say.NOT_PARSED)
            elif not isinstance(statement.node, _WITHOUT_CONDITIONS):
                yield from self.conditions(statement, statement.node)

    def conditions(self, statement: Statement, node: exp.Expr) -> Iterator[Condition | Refused]:
        """The conditions of a statement, in their order."""
        source = Source("", self.text)
        whole = Span(source, statement.start, statement.end)
        reader = Reader(source, whole, SpanIndex(statement.tokens), SQL, TABLE)
        conditions: list[tuple[int, Condition | Refused]] = []
        names = self.variables | arguments(statement.tokens)
        try:
            for condition in clause_conditions(node, self.columns, names):
                for residue in residues(condition, self.dialect):
                    start, end = _extent(reader, residue.parts)
                    if end < 0:
                        start, end = statement.start, statement.end
                    conditions.append((start, self.condition(condition, residue, start, end, reader, node)))
        except RecursionError:
            yield self.refused(statement.start, statement.end, say.TOO_DEEP)
        yield from (item for _, item in sorted(conditions, key=lambda pair: pair[0]))

    def condition(
        self,
        written: ClauseCondition,
        residue: Residue,
        start: int,
        end: int,
        reader: Reader,
        whole: exp.Expr,
    ) -> Condition | Refused:
        """A residue of a statement as a record."""
        if residue.origin is None:
            return self.refused(start, end, residue.reason)
        place, as_written = self.place(start, end)
        columns = self.columns.get(residue.origin.relation)
        text = _shown(self.text[start:end])
        if not residue.together:
            text = " AND ".join(_shown(self.text[slice(*_extent(reader, (part,)))]) for part in residue.parts)
        branches, result = None, ""
        if written.case is not None:
            then = written.case.args["ifs"][written.branch].args.get("true")
            result = "" if then is None else then.sql()[:MAX_SHOWN]
            case_start = _extent(reader, (written.case,))[0]
            branches = (self.place(case_start, case_start + 1)[0].start, written.branch)
        return Condition(
            text,
            "sql",
            self.dialect,
            residue.origin.relation or None,
            written.clause,
            place,
            fields=_known(columns, residue),
            others=_others(columns, residue),
            params=dict.fromkeys(residue.params, ""),
            rendered=not (as_written and residue.together),
            sql=residue.sql,
            whole=residue.whole,
            branches=branches,
            result=result,
            derived=residue.origin.derived,
            changes=isinstance(whole, (exp.Delete, exp.Update)),
        )

    def refused(self, start: int, end: int, reason: str) -> Refused:
        """What was not read."""
        text = " ".join(_shown(self.text[start:end]).split())
        return Refused(self.place(start, end)[0], reason, text[:MAX_SHOWN])


def _tells_rows(statement: Statement) -> bool:
    """Whether a statement that sqlglot takes as it is has a clause with a condition."""
    return any(token.token_type in _CLAUSES for token in statement.tokens)


def _extent(reader: Reader, parts: tuple[exp.Expr, ...]) -> tuple[int, int]:
    """From the first character of the first part to the end of the last."""
    extents = [reader.extent(part) for part in parts]
    return min(start for start, _ in extents), max(end for _, end in extents)


def _known(columns: Mapping[str, str] | None, residue: Residue) -> Mapping[str, str]:
    if not columns or residue.origin is None or residue.origin.derived:
        return {}
    return {name: kind for name, kind in columns.items() if is_known(kind)}


def _others(columns: Mapping[str, str] | None, residue: Residue) -> Mapping[str, str]:
    if not columns or residue.origin is None or residue.origin.derived:
        return {}
    return {name: kind[len(OTHER) :] for name, kind in columns.items() if kind.startswith(OTHER)}


def _shown(text: str) -> str:
    """A condition with its parameters as predicat writes them."""
    return _VARIABLE.sub(r":\1", text) if PARAMETER in text else text


def plain_place(path: str, text: str) -> Callable[[int, int], tuple[SourceRange, bool]]:
    """The places of a file that is SQL as it is."""
    source = Source(path, text)

    def place(start: int, end: int) -> tuple[SourceRange, bool]:
        line, column = source.line_column(start)
        return SourceRange(path, line, column, start, end), True

    return place
