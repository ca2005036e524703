"""Evaluates predicates on rows of declared fields in bulk, on every engine."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import predicat
from predicat import backends
from predicat.deploy.rows import TABLE, fill_duckdb, fill_postgres, on_duckdb, on_postgres
from predicat.diagnostics import Unsupported
from predicat.ir.nodes import FieldDecl, Node
from predicat.semantics.evaluate import compile_node
from predicat_spark.rows import frame_of, on_spark

ENGINES = ("spark", "postgres", "duckdb")
Rows = Sequence[Mapping[str, Any]]
# What a condition is called, the condition, and its outcome for each row.
Case = tuple[str, Node, list[bool | None]]


class Tables:
    """Some rows on every engine."""

    def __init__(
        self,
        spark: Any,
        postgres: Any,
        fields: Mapping[str, FieldDecl],
        rows: Sequence[Mapping[str, Any]],
        only: Sequence[str] = ENGINES,
    ) -> None:
        self.spark, self.postgres, self.fields, self.rows, self.only = (
            spark,
            postgres,
            list(fields.values()),
            rows,
            only,
        )

    def engines(self) -> list[tuple[str, Any]]:
        """Each engine's name, and how to evaluate expressions on it."""
        return [(name, getattr(self, f"on_{name}")) for name in self.only]

    def on_spark(self, expressions: Sequence[str]) -> list[list[Any]]:
        return on_spark(self.fields, self.rows, expressions, self.spark)

    def on_postgres(self, expressions: Sequence[str]) -> list[list[Any]]:
        return on_postgres(self.postgres, self.fields, self.rows, expressions)

    def on_duckdb(self, expressions: Sequence[str]) -> list[list[Any]]:
        return on_duckdb(self.fields, self.rows, expressions)

    def reference(self, node: Node) -> list[Any]:
        run = compile_node(node)
        return [run(row) for row in self.rows]


def check_outcomes(tables: Tables, texts: Sequence[tuple[str, str]], *, where: bool = False) -> None:
    """Conditions, each with its language, have the evaluator's outcomes on engines; with `where` they accept
    the same rows in a WHERE.
    """
    fields = {decl.name: decl for decl in tables.fields}
    found = [predicat.parse(text, language, fields) for language, text in texts]
    now = datetime.now(UTC)
    expected = [[predicate.evaluate(row, now=now) for row in tables.rows] for predicate in found]
    for engine, run in tables.engines():
        asked = [one.sql(engine) for one in found]
        if where:
            asked += [backends.dialect(engine).render(one.node, condition=True) for one in found]
        got = run(asked)  # in one query, which knows what both have in common
        for place, values in enumerate(got):
            (language, text), outcomes = texts[place % len(found)], expected[place % len(found)]
            accepted = place >= len(found)
            wrong = [
                (row, value)
                for row, value, want in zip(tables.rows, values, outcomes, strict=True)
                if ((value is True) != (want is True) if accepted else value != want)
            ]
            assert not wrong, f"{engine}, {language} {text}\n{asked[place]}\n{len(wrong)}: {wrong[:5]}"


def check_values(
    cases: Iterable[Case],
    fields: Sequence[FieldDecl],
    rows: Rows,
    spark: Any,
    postgres: Any,
    *,
    constants: bool = False,
) -> None:
    """SQL whose constants are parameters has the outcomes; with `constants` also the SQL that has them. Both
    are in one query: an engine reads the rows once, and Spark compiles once what both have in common.
    """
    known = list(cases)
    for engine in ENGINES:
        dialect = backends.dialect(engine)
        asked: list[tuple[str, str, list[bool | None]]] = []
        if constants:
            asked += [(label, dialect.render(node), expected) for label, node, expected in known]
        values: list[Any] = []
        for label, node, expected in known:
            try:
                sql, more = dialect.parameterized(node, len(values) + 1)
            except Unsupported:
                continue
            asked.append((label, sql, expected))
            values += more
        connection = spark if engine == "spark" else postgres
        got = with_values(engine, connection, fields, rows, [sql for _, sql, _ in asked], values)
        for (label, sql, expected), column in zip(asked, zip(*got, strict=True), strict=True):
            assert list(column) == expected, f"{engine} {label}\n{sql}"


def with_values(
    engine: str,
    connection: Any,
    fields: Sequence[FieldDecl],
    rows: Rows,
    asked: Sequence[str],
    values: Sequence[Any],
) -> list[tuple[Any, ...]]:
    """What an engine answers for each row to SQL with parameters."""
    query = f"SELECT {', '.join(asked)} FROM {TABLE} ORDER BY __id"
    match engine:
        case (
            "spark"
        ):  # one partition keeps the order, and its ORDER BY would be compiled with all expressions
            frame_of(fields, rows, connection).createOrReplaceTempView(TABLE)
            query = query.removesuffix(" ORDER BY __id")
            return [tuple(row) for row in connection.sql(query, args=list(values)).collect()]
        case "postgres":
            import psycopg  # only here: tests without engines load this module, too

            fill_postgres(connection, fields, rows)
            return psycopg.RawCursor(connection).execute(query.encode(), values).fetchall()
        case _:
            import duckdb  # as above

            with duckdb.connect() as own:
                fill_duckdb(own, fields, rows)
                return own.execute(query, values).fetchall()
