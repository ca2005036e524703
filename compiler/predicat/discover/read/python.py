"""Conditions in programs: in PySpark the texts and chains of columns in `where`, `filter`, `when` and `expr`,
and everywhere the texts that are statements, as of `spark.sql` and of Airflow's operators. The program is
read, never run.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import accumulate

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.catalog.templates import is_template
from predicat.diagnostics import Source, Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Clause, Condition, Refused, SourceRange
from predicat.discover.read import templates
from predicat.discover.read.columns import KEEPS_ROWS, NotRead, cast, is_cast, is_text, literal, method
from predicat.discover.read.columns import name as name_of
from predicat.discover.read.embedded import Ranges, condition
from predicat.discover.read.python_texts import (
    Names,
    Text,
    called_name,
    formatted,
    text_of,
    texts,
    with_placeholders,
)
from predicat.discover.read.relations import Columns
from predicat.discover.read.residues import parameter_of
from predicat.discover.read.sql import MAX_SHOWN, SqlText, shown
from predicat.discover.read.statements import STATEMENT, has_statement, tokens_of, too_deep
from predicat.discover.read.written import place_of

# From a statement to its dialect.
Dialects = Callable[[str], str]
_SPARK = re.compile(r"\b(?:pyspark|spark|databricks|dlt)\b")
_COMPARED = {ast.Eq: "=", ast.NotEq: "<>", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_JOINED = {
    ast.BitAnd: "AND",
    ast.BitOr: "OR",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
}
# What programs call `pyspark.sql.functions`.
_MODULES = ("F", "f", "functions", "sf", "fn", "psf")
_NO_FRAMES = (*_MODULES, "T", "self")
# Expectations of pipelines, and what makes a table with some.
_EXPECT = re.compile(r"expect(?P<all>_all)?(?:_or_drop|_or_fail)?")
_CREATES = re.compile(r"create_(?:streaming_(?:live_)?table|sink|table)")
# Methods of a table of Delta, and clauses of its MERGE.
_CHANGES = re.compile(r"delete|update|when(?:Not)?Matched(?:BySource)?(?:Update|Delete|Insert)(?:All)?")
_LISTS = (ast.List, ast.Tuple, ast.Set)
# What exported notebooks call for `%%sql` and `%sql`.
_MAGICS = ("run_cell_magic", "run_line_magic")
# Characters of a text that is tried as a condition, at most.
_MAX_LENGTH = 20_000
_MOST_STEPS = 200


def uses_spark(text: str) -> bool:
    """Whether a program has to do with Spark."""
    return _SPARK.search(text) is not None


def runs_statements(text: str) -> bool:
    """Whether a program may have a statement of SQL."""
    return has_statement(text)


def conditions(source: Source, columns: Columns, dialect: Dialects) -> Iterator[Condition | Refused]:
    """The conditions of a program. `dialect` is that of a statement which is not Spark's."""
    text, nowhere = source.text, place_of(Span(source, 0, 0))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        yield from _Program(source, tree, columns, dialect).read()
    except (SyntaxError, ValueError):
        yield Refused(nowhere, say.NO_PYTHON, "")
    except (RecursionError, MemoryError):
        yield Refused(nowhere, say.TOO_DEEP, "")


class _Program:
    def __init__(self, source: Source, tree: ast.Module, columns: Columns, dialect: Dialects) -> None:
        self.source = source
        self.dialect = dialect
        self.tree = tree
        self.columns = columns
        self.rows = source.text.splitlines(keepends=True)
        self.lines = [0, *accumulate(map(len, self.rows))]
        self.names = Names(tree)
        self.spark = self.given_to_spark() if uses_spark(source.text) else frozenset()

    def read(self) -> Iterator[Condition | Refused]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                yield from self.expectations(node)
            if isinstance(node, ast.Call):
                yield from self.created(node)
                yield from self.changed(node)
                yield from self.call(node) if node.args else ()
        yield from self.statements()

    def given_to_spark(self) -> frozenset[int]:
        """The texts that are run by Spark."""
        calls = (node for node in ast.walk(self.tree) if isinstance(node, ast.Call) and node.args)
        given = [
            node.args[-1] if called_name(node) in _MAGICS else node.args[0]
            for node in calls
            if (called_name(node) == "sql" and isinstance(node.func, ast.Attribute))
            or (called_name(node) in _MAGICS and text_of(node.args[0]) == "sql")
        ]
        return frozenset(id(value) for node in given for value in self.names.values(node))

    def call(self, node: ast.Call) -> Iterator[Condition | Refused]:
        """The condition of a call, if it has one."""
        name = called_name(node)
        first = node.args[0]
        if name in ("where", "filter") and isinstance(node.func, ast.Attribute):
            yield from self.condition(first, self.relation(node.func.value), "where")
        elif name == "when" and len(node.args) == 2:
            yield from self.condition(first, None, "case")
        elif name == "expr" and is_condition(text_of(first)):
            yield from self.condition(first, None, "filter")

    def changed(self, call: ast.Call) -> Iterator[Condition | Refused]:
        """The condition of a change in Delta: of MERGE, DELETE and UPDATE, of what a write replaces."""
        name = called_name(call)
        given = [one.value for one in call.keywords if one.arg == "condition"] + call.args[:1]
        if name == "option" and text_of(call.args[0] if call.args else call) == "replaceWhere":
            given = call.args[1:2]
        elif not isinstance(call.func, ast.Attribute) or not _CHANGES.fullmatch(name):
            return
        for node in given[:1]:
            text = text_of(node)
            if isinstance(node, ast.Dict) or (text is not None and not is_condition(text)):
                continue
            yield from map(self.unqualified, self.condition(node, None, "where"))

    def unqualified(self, found: Condition | Refused) -> Condition | Refused:
        """A condition whose columns have the alias of one side of MERGE before them, without it."""
        if isinstance(found, Refused):
            return found
        tree = parse_one(found.sql)
        columns = list(tree.find_all(exp.Column))
        sides = {column.parts[0].name for column in columns if len(column.parts) > 1}
        if len(sides) > 1 or (sides and not all(len(column.parts) > 1 for column in columns)):
            return Refused(found.place, say.SEVERAL, found.text[:MAX_SHOWN])
        for column in columns if sides else ():
            column.set(("table", "db", "catalog")[len(column.parts) - 2], None)
        return replace(found, sql=tree.sql(), changes=True)

    def statements(self) -> Iterator[Condition | Refused]:
        """The conditions of the texts that are statements. One that is a part of another is read there."""
        known = self.names.constants
        found = [
            (one, text)
            for one in texts(self.tree, self.names)
            if (text := text_of(one.node, known)) and (id(one.node) in self.spark or STATEMENT.match(text))
        ]
        parts = {
            part.id
            for one, _ in found
            for part in ast.walk(one.node)
            if isinstance(part, ast.Name) and part.id in known
        }
        for one, text in found:
            if one.changed:
                yield Refused(self.ranges(one.node, "")(0, 0)[0], say.NOT_LITERAL, shown(text))
            elif one.name not in parts:
                yield from self.statement(one, text)

    def statement(self, one: Text, text: str) -> Iterator[Condition | Refused]:
        """The conditions of a statement. Templates in it are those of Airflow."""
        ranges = self.ranges(one.node, text)
        if one.name in self.names.formatted:
            filled = formatted(text)
            text, ranges = filled.text, _moved(filled, text, ranges)
        if is_template(text):
            try:
                rendered = templates.render(text, {})
            except templates.NotRendered:
                yield Refused(ranges(0, len(text))[0], say.NOT_RENDERED, shown(text))
                return
            text, ranges = rendered.text, _through(rendered, ranges)
        filled = with_placeholders(text)
        sql, ranges = filled.text, _moved(filled, text, ranges)
        dialect = "spark" if id(one.node) in self.spark else self.dialect(sql)
        yield from SqlText(sql, dialect, ranges, self.columns).read()

    def expectations(self, function: ast.FunctionDef) -> Iterator[Condition | Refused]:
        """The expectations that decorate the function of a table or a view in a pipeline."""
        calls = [one for one in function.decorator_list if isinstance(one, ast.Call)]
        names = [text_of(one.value) for call in calls for one in call.keywords if one.arg == "name"]
        table = next((name for name in names if name), function.name)
        for call in calls:
            match = _EXPECT.fullmatch(called_name(call))
            if match is not None and match["all"] and call.args:
                yield from self.expected(call.args[0], table)
            elif match is not None:
                given = [*call.args[1:], *(one.value for one in call.keywords if one.arg == "inv")]
                for node in given[:1]:
                    yield from self.condition(self.names.constant(node), table, "test")

    def created(self, call: ast.Call) -> Iterator[Condition | Refused]:
        """The expectations of `create_streaming_table(name=..., expect_all={...})`."""
        if not _CREATES.fullmatch(called_name(call)):
            return
        named = {one.arg or "": one.value for one in call.keywords}
        name = named.get("name") or next(iter(call.args), None)
        for key, value in named.items():
            if (match := _EXPECT.fullmatch(key)) is not None and match["all"]:
                yield from self.expected(value, text_of(name) if name is not None else None)

    def expected(self, node: ast.expr, table: str | None) -> Iterator[Condition | Refused]:
        """The conditions of a dictionary, which a name may stand for."""
        known = self.names.assigned.get(node.id, []) if isinstance(node, ast.Name) else [node]
        if len(known) != 1 or not isinstance(known[0], ast.Dict):
            yield self.left_out(node)
            return
        for value in known[0].values:
            yield from self.condition(self.names.constant(value), table, "test")

    def condition(
        self, node: ast.expr, relation: str | None, clause: Clause
    ) -> Iterator[Condition | Refused]:
        text = text_of(node)
        if text is not None:
            if is_condition(text):
                yield from condition(text, relation, clause, "spark", self.ranges(node, text), self.columns)
            return
        if not any(_is_column(part) for part in ast.walk(node)):
            return
        try:
            text = _sql(node)
        except NotRead:
            yield self.left_out(node)
            return
        yield from condition(text, relation, clause, "spark", self.ranges(node, ""), self.columns)

    def left_out(self, node: ast.expr) -> Refused:
        """An expression that cannot be read."""
        written = ast.get_source_segment(self.source.text, node) or ""
        return Refused(self.ranges(node, "")(0, 0)[0], say.NOT_LITERAL, shown(written))

    def offset(self, line: int, column: int) -> int:
        """The offset in characters; Python counts columns in bytes."""
        line_ = self.rows[line - 1] if line <= len(self.rows) else ""
        return self.lines[line - 1] + len(line_.encode()[:column].decode(errors="ignore"))

    def ranges(self, node: ast.expr, text: str) -> Ranges:
        """The places of a text that is a constant of the program; else that of the whole expression."""
        first = self.offset(node.lineno, node.col_offset)
        last = self.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        written = self.source.text[first:last]
        at = written.find(text) if text else -1

        def place(start: int, end: int) -> tuple[SourceRange, bool]:
            low, high = (first + at + start, first + at + end) if at >= 0 else (first, last)
            span = Span(self.source, low, high)
            return place_of(span), at >= 0 and span.outermost().text == span.text

        return place

    def relation(self, node: ast.expr) -> str | None:
        """The table that a DataFrame is read from, if only rows are taken away since."""
        for _ in range(_MOST_STEPS):
            if isinstance(node, ast.Name):
                use = _start(node)
                before = [one for one in self.names.assigned.get(node.id, ()) if _start(one) < use]
                if not before:
                    return None
                node = max(before, key=_start)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "table":
                    return text_of(node.args[0]) if node.args else None
                if node.func.attr not in KEEPS_ROWS:
                    return None
                node = node.func.value
            else:
                return None
        return None


def _through(rendered: templates.Rendered, ranges: Ranges) -> Ranges:
    """The places of what a template has become."""

    def place(start: int, end: int) -> tuple[SourceRange, bool]:
        first, last, exact = rendered.place(start, end)
        found, same = ranges(first, last)
        return found, same and exact

    return place


def _moved(filled: Source, text: str, ranges: Ranges) -> Ranges:
    """The places of a text in which fields were filled."""

    def place(start: int, end: int) -> tuple[SourceRange, bool]:
        first, last = filled.to_outer(start), filled.to_outer(max(start, end - 1)) + 1
        found, same = ranges(first, last)
        return found, same and text[first:last] == filled.text[start:end]

    return place


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def is_condition(text: str | None) -> bool:
    """Whether a text is a condition of SQL: `filter` and `expr` take other things too."""
    if not text or len(text) > _MAX_LENGTH:
        return False
    tokens = tokens_of(text, "spark")
    if tokens is None or too_deep(tokens):
        return False
    try:
        node = parse_one(text, dialect="spark")
    except (SqlglotError, ValueError, TypeError, AttributeError, RecursionError):
        return False
    return isinstance(node.unnest(), exp.Predicate | exp.Connector | exp.Not)


def _is_column(node: ast.AST) -> bool:
    """Whether a node is `col("x")`, `F.col("x")` or `df["x"]`; the name may be computed."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return isinstance(node, ast.Call) and len(node.args) == 1 and called_name(node) in ("col", "column")


def _sql(node: ast.expr) -> str:
    """The SQL of a chain of columns. Raises _NotRead."""
    match node:
        case ast.Constant():
            return literal(node.value)
        case ast.UnaryOp(op=ast.Invert()):
            return f"NOT ({_sql(node.operand)})"
        case ast.UnaryOp(op=ast.USub()):
            return f"-({_sql(node.operand)})"
        case ast.BinOp() if type(node.op) in _JOINED:
            return f"({_sql(node.left)} {_JOINED[type(node.op)]} {_sql(node.right)})"
        case ast.Compare(ops=[op], comparators=[other]) if type(op) in _COMPARED:
            return f"({_sql(node.left)} {_COMPARED[type(op)]} {_sql(other)})"
        case ast.Subscript(slice=ast.Constant(value=str() as name)):
            return name_of(name)
        case ast.Attribute(value=ast.Name(id=frame), attr=name) if frame not in _NO_FRAMES:
            return name_of(name)
        case ast.Name(id=name):
            return parameter_of(name)
        case ast.Call():
            return _called(node)
        case _:
            raise NotRead


def _called(node: ast.Call) -> str:
    if node.keywords or any(isinstance(part, ast.Starred) for part in node.args):
        raise NotRead
    if _is_column(node):
        if not isinstance(node.args[0], ast.Constant):
            raise NotRead
        return name_of(str(node.args[0].value))
    if isinstance(node.func, ast.Name) or _is_module(node.func):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        return _function(name, node.args)
    if isinstance(node.func, ast.Attribute):
        return _method(node.func.attr, _sql(node.func.value), node.args)
    raise NotRead


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in _MODULES


def _function(name: str, args: list[ast.expr]) -> str:
    """A function of `pyspark.sql.functions`, whose texts are names of columns."""
    if name == "lit" and len(args) == 1:
        return _sql(args[0])
    if name == "expr" and len(args) == 1 and (text := text_of(args[0])):
        return f"({text})"
    if name in ("when", "udf") or not name.isidentifier():
        raise NotRead
    return f"{name}({', '.join(_argument(name, number, arg) for number, arg in enumerate(args))})"


def _argument(function: str, number: int, node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and not is_text(function, number):
        return name_of(node.value)
    return _sql(node)


def _method(name: str, value: str, args: list[ast.expr]) -> str:
    """A method of a column."""
    if is_cast(name):
        if len(args) != 1:
            raise NotRead
        kind = args[0]
        return cast(value, str(kind.value) if isinstance(kind, ast.Constant) else ast.unparse(kind))
    listed = (part for arg in args for part in (arg.elts if isinstance(arg, _LISTS) else [arg]))
    return method(name, value, list(map(_sql, listed)))
