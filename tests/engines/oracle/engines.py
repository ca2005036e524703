"""The answers of engines to conditions as they are written: a letter for each row.

T, F, N for NULL, and E for an error. What an engine does not take at all is `!` and its reason.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from predicat.catalog.cache import cache_folder
from predicat.deploy.rows import TABLE, fill_duckdb, fill_postgres
from predicat.ir.nodes import FieldDecl
from predicat_spark.jar import compile_jar
from predicat_spark.java import ensure_java, spark_version
from predicat_spark.rows import frame_of
from predicat_spark.settings import settings

Fields = Mapping[str, FieldDecl]
Rows = Sequence[Mapping[str, Any]]
LETTERS = {True: "T", False: "F", None: "N"}

_LETTER = "CASE ((' || condition || ')) WHEN true THEN ''T'' WHEN false THEN ''F'' ELSE ''N'' END"
_ATTEMPT = f"""
CREATE OR REPLACE FUNCTION pg_temp.attempt(condition text, count bigint)
RETURNS text LANGUAGE plpgsql AS $body$
DECLARE found text := ''; one text;
BEGIN
  BEGIN
    EXECUTE 'SELECT string_agg({_LETTER}, '''' ORDER BY __id) FROM {TABLE}' INTO found;
    RETURN found;
  EXCEPTION
    WHEN syntax_error_or_access_rule_violation THEN RETURN '!' || SQLERRM;
    WHEN OTHERS THEN found := '';
  END;
  FOR place IN 0 .. count - 1 LOOP
    BEGIN
      EXECUTE 'SELECT {_LETTER} FROM {TABLE} WHERE __id = ' || place INTO one;
      found := found || one;
    EXCEPTION
      WHEN OTHERS THEN found := found || 'E';
    END;
  END LOOP;
  RETURN found;
END $body$
"""


class Attempts(Protocol):
    """An engine with rows."""

    def answers(self, conditions: Sequence[str]) -> list[str]: ...


class Postgres:
    """A server."""

    def __init__(self, connection: Any, fields: Fields, rows: Rows) -> None:
        self.connection, self.count = connection, len(rows)
        fill_postgres(connection, list(fields.values()), rows)
        connection.execute("SET TIME ZONE 'UTC'")
        connection.execute(_ATTEMPT)

    def answers(self, conditions: Sequence[str]) -> list[str]:
        asked = "SELECT pg_temp.attempt(c, %s) FROM unnest(%s::text[]) WITH ORDINALITY AS o (c, n) ORDER BY n"
        return [answer for (answer,) in self.connection.execute(asked, (self.count, list(conditions)))]


class DuckDB:
    """A database in memory."""

    def __init__(self, fields: Fields, rows: Rows) -> None:
        import duckdb

        self.connection, self.count, self.failure = duckdb.connect(), len(rows), duckdb.Error
        self.untaken = (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException)
        self.connection.execute("SET TimeZone = 'UTC'")
        # It solves `a + 1 = 0`, and then has a value where the sum is an error.
        self.connection.execute("PRAGMA disable_optimizer")
        fill_duckdb(self.connection, list(fields.values()), rows)

    def answers(self, conditions: Sequence[str]) -> list[str]:
        return [self.answer(condition) for condition in conditions]

    def answer(self, condition: str) -> str:
        try:
            return self.ask(condition, "")
        except self.untaken as error:
            return "!" + str(error).splitlines()[0]
        except self.failure:
            return "".join(self.one(condition, place) for place in range(self.count))

    def one(self, condition: str, place: int) -> str:
        try:
            return self.ask(condition, f"WHERE __id = {place}")
        except self.failure:
            return "E"

    def ask(self, condition: str, where: str) -> str:
        found = self.connection.execute(
            f"SELECT ({condition})::BOOLEAN FROM {TABLE} {where} ORDER BY __id"
        ).fetchall()
        return "".join(LETTERS[value] for (value,) in found)


SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    # It takes what may be an error for a value that is there.
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.NullPropagation",
}


class Spark:
    """A session with `Attempts.scala`, which evaluates Spark's optimized plans row by row."""

    VIEW = "oracle_rows"

    def __init__(self, session: Any, fields: Fields, rows: Rows, *, ansi: bool = True) -> None:
        self.session, self.ansi = session, ansi
        frame = frame_of(list(fields.values()), rows, session)
        jvm = session._jvm
        # A frame of rows as they are: the columns are leaves of each plan.
        frozen = session._jsparkSession.createDataFrame(frame._jdf.toJavaRDD(), frame._jdf.schema())
        frozen.createOrReplaceTempView(self.VIEW)
        session.sql(f"ADD JAR '{attempts_jar()}'")
        loaded = jvm.Thread.currentThread().getContextClassLoader().loadClass("predicat.test.Attempts")
        self.run = next(method for method in loaded.getMethods() if method.getName() == "run")
        self.jvm = jvm

    def answers(self, conditions: Sequence[str]) -> list[str]:
        mode = {"spark.sql.ansi.enabled": str(self.ansi).lower()}
        with settings(self.session, {**SETTINGS, **mode}):
            return self.asked(conditions)

    def asked(self, conditions: Sequence[str]) -> list[str]:
        gateway = self.session.sparkContext._gateway
        array = gateway.new_array(self.jvm.java.lang.String, len(conditions))
        for place, condition in enumerate(conditions):
            array[place] = condition
        given = gateway.new_array(self.jvm.java.lang.Object, 3)
        given[0], given[1], given[2] = self.session._jsparkSession, self.VIEW, array
        return list(self.run.invoke(None, given))


def attempts_jar() -> Path:
    """Compiled once for the installed Spark."""
    source = Path(__file__).parent / "Attempts.scala"
    version = "{}.{}".format(*spark_version())
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    target = cache_folder() / "jars" / f"attempts-{digest}-{version}.jar"
    return target if target.is_file() else compile_jar(ensure_java(), [source], target)


def reference(run: Any, rows: Rows) -> str:
    return "".join(LETTERS[run(row)] for row in rows)
