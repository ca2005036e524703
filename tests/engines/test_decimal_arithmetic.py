"""Exact arithmetic of decimals at random, over hostile rows: the evaluator against fractions, and each engine
against the evaluator.

PREDICAT_FUZZ_EXAMPLES=50 tries 10,000 conditions.
"""

import os
import random
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import pytest

import predicat
from predicat import Predicate, backends
from predicat.diagnostics import PredicatError
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.types import DecimalType
from predicat.rewrite.solve import for_rows
from tests.engines.oracle.engines import Attempts, DuckDB, Postgres, Spark, reference
from tests.engines.rows import Tables

COUNT = 200 * int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1"))
SEED = int(os.environ.get("PREDICAT_FUZZ_SEED", "31"))
FIELDS = {
    "p": "decimal(10,2)",
    "n": "decimal(18,2)",
    "m": "decimal(17,9)",
    "w": "decimal(38,0)",
    "f": "decimal(38,38)",
    "t": "decimal(38,10)",
    "r": "decimal(35,6)",
    "a": "bigint",
    "i": "int",
    "h": "smallint",
    "ps": "array<decimal(10,2)>",
    "st": "struct<x: decimal(10,2)>",
}
_TEXTS: dict[str, list[str]] = {
    "p": ["0.00", "-0.00", "0.10", "0.30", "-2.50", "99999999.99", "-99999999.99"],
    "n": ["0.00", "0.01", "9999999999999999.99", "-9999999999999999.99", "100.10"],
    "m": ["0.000000001", "-99999999.999999999", "99999999.999999999", "1.500000000"],
    "w": ["9" * 38, "-" + "9" * 38, "0", "1", "-1", "9" * 34, "1" + "0" * 34],
    "f": ["0." + "9" * 38, "-0." + "9" * 38, "0." + "0" * 37 + "1", "0." + "0" * 38],
    "t": ["9" * 28 + ".9999999999", "-" + "9" * 28 + ".9999999999", "0.0000000001", "2.5000000000"],
    "r": ["9" * 29 + ".999999", "-" + "9" * 29 + ".999999", "0.000001", "0.500000"],
}
POOLS: dict[str, list[Any]] = {
    **{name: list(map(Decimal, texts)) for name, texts in _TEXTS.items()},
    "a": [0, 1, -3, 2**63 - 1, -(2**63)],
    "i": [0, 7, -1, 2**31 - 1, -(2**31)],
    "h": [0, 2, -5, 2**15 - 1, -(2**15)],
    "ps": [[], [Decimal("0.10"), Decimal("99999999.99")], [None]],
    "st": [{"x": Decimal("0.20")}, {"x": None}],
}
_LEAVES = ["p", "n", "m", "p", "n", "r", "w", "f", "t", "a", "i", "h", "element_at(ps, 1)", "st.x"]
_CONSTANTS = ["2", "-3", "0.1", "1.10", "0", "100", "0.000001", "-0.5"]
_FORMS = [
    "({} + {})",
    "({} - {})",
    "({} * {})",
    "({} * {})",
    "-({})",
    "abs({})",
    "coalesce({}, {})",
    "CASE WHEN h > 0 THEN {} ELSE {} END",
    "greatest({}, {})",
    "round({}, 1)",
    "CAST({} AS DECIMAL(20, 3))",
    "CAST({} AS DECIMAL(38, 18))",
]
_EXACT = Context(prec=200)
# PostgreSQL has no more than 1,664 in one query.
_COLUMNS = 1000


def rows(count: int) -> list[dict[str, Any]]:
    rng = random.Random(SEED)  # test data
    found: list[dict[str, Any]] = [{}]
    while len(found) < count:
        found.append({name: rng.choice(pool) for name, pool in POOLS.items() if rng.random() < 0.9})
    return found


ROWS = rows(24)


class Conditions:
    """Comparisons of a calculation with another one, with a constant, or with what it is on a row."""

    def __init__(self) -> None:
        self.rng = random.Random(SEED)  # test data

    def number(self, depth: int) -> str:
        if not depth or self.rng.random() < 0.2:
            return self.rng.choice(_LEAVES if self.rng.random() < 0.75 else _CONSTANTS)
        form = self.rng.choice(_FORMS)
        return form.format(*(self.part(form, depth - 1) for _ in range(form.count("{}"))))

    def part(self, _form: str, depth: int) -> str:
        return self.number(depth)

    def next(self) -> tuple[str, str]:
        """The language and the text of one."""
        language = self.rng.choice(["sql", "spark", "postgres", "duckdb"])
        return language, self.condition(language)

    def condition(self, language: str) -> str:
        """The text of one in a language."""
        text = self.number(self.rng.choice([1, 1, 2, 3]))
        sign = self.rng.choice(["=", "<>", "<", "<=", ">", ">="])
        right = self.number(1) if self.rng.random() < 0.3 else self.reached(language, text)
        return f"{text} {sign} {right}"

    def reached(self, language: str, text: str) -> str:
        """A constant that a calculation reaches on a row."""
        try:
            node = predicat.parse(f"{text} > 0", language, FIELDS).node
        except PredicatError:
            return "0"
        value = exactly(node.args[0], self.rng.choice(ROWS)) if isinstance(node, Call) else None
        if value is None:
            return "0"
        shown = f"{as_decimal(value):f}"
        return (
            shown.replace("0.", ".", 1) if len(shown.partition(".")[2]) == 38 else shown
        )  # DuckDB's longest


def as_decimal(value: Fraction) -> Decimal:
    return _EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))


def predicates() -> Iterator[Predicate]:
    made, count = Conditions(), 0
    while count < COUNT:
        language, text = made.next()
        try:
            found = predicat.parse(text, language, FIELDS)
        except PredicatError as error:
            assert error.diagnostics[0].code in ("unsupported", "type-mismatch"), error
            continue
        count += 1
        yield found


def exactly(node: Node, row: dict[str, Any]) -> Fraction | None:
    """A sum, a difference, a product, a sign or a column as a fraction; None where it is UNKNOWN, or more
    than this.
    """
    match node:
        case Literal(value=int() | Decimal() as value):
            return Fraction(value)
        case Field(decl=decl):
            found = row.get(decl.name)
            return None if found is None else Fraction(found)
        case Call(op="add" | "sub" | "mul" | "neg" | "abs" as op, args=args, type=DecimalType() as kind):
            parts = [exactly(arg, row) for arg in args]
            if any(part is None for part in parts):
                return None
            one, other = (parts * 2)[:2]
            assert one is not None and other is not None
            result = {
                "add": one + other,
                "sub": one - other,
                "mul": one * other,
                "neg": -one,
                "abs": abs(one),
            }[op]
            return result if abs(result) < 10 ** (kind.precision - kind.scale) else None
        case _:
            return None


def plain(node: Node) -> bool:
    """Whether `exactly` knows a calculation."""
    match node:
        case Call(op="add" | "sub" | "mul" | "neg" | "abs", args=args):
            return isinstance(node.type, DecimalType) and all(map(plain, args))
        case _:
            return isinstance(node, Field) or (
                isinstance(node, Literal) and not isinstance(node.value, float)
            )


PREDICATES = list(predicates())


def test_the_evaluator_is_exact() -> None:
    count = 0
    for one in PREDICATES:
        if (
            not isinstance(one.node, Call)
            or one.node.op not in ("eq", "lt", "ge")
            or not all(map(plain, one.node.args))
        ):
            continue
        for row in ROWS:
            left, right = (exactly(arg, row) for arg in one.node.args)
            if left is None or right is None:
                wanted = None
            else:
                wanted = {"eq": left == right, "lt": left < right, "ge": left >= right}[one.node.op]
            assert one.evaluate(row) is wanted, (one.node.span.text, row)
            count += 1
    assert count > 300


def test_engines_agree(spark: Any, postgres: Any) -> None:
    tables = Tables(spark, postgres, predicat.api.declared(FIELDS), ROWS)
    refused: list[str] = []
    wrong: list[str] = []
    for name, run in tables.engines():
        asked: list[tuple[Predicate, str, bool]] = []
        for one in PREDICATES:
            try:
                asked.append((one, one.sql(name), True))
                asked.append((one, backends.dialect(name).render(for_rows(one.node)), False))
            except PredicatError:  # of more than 38 digits
                refused.append(name)
        for start in range(0, len(asked), _COLUMNS):
            batch = asked[start : start + _COLUMNS]
            columns = run([sql for _, sql, _ in batch])
            for (one, sql, exact), column in zip(batch, columns, strict=True):
                wanted = [one.evaluate(row) for row in ROWS]
                got = column if exact else [value is True for value in column]
                if got != (wanted if exact else [value is True for value in wanted]):
                    wrong.append(f"{name}: {one.node.span.text}\n  {sql}\n  {got}\n  {wanted}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(sorted(wrong, key=len)[:10])
    assert "postgres" not in refused
    assert len(refused) < len(PREDICATES) // 5


class Own(Conditions):
    """Conditions that engines take as they are written. What a choice gives fits into 38 digits: beyond these
    it is a double here. Spark rounds comparisons that do not.
    """

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language

    def part(self, form: str, depth: int) -> str:
        if form.count("{}") == 2 and "({} " not in form:
            return self.rng.choice(["p", "n", "h", "i", "2", "0.1"])
        if "round" in form:
            return self.rng.choice(["p", "n", "m", "(p * m)"])  # whole numbers have 10 digits then
        return self.number(depth)

    def number(self, depth: int) -> str:
        found = super().number(depth)
        narrow = {"w": "n", "f": "m", "t": "n", "r": "m"} if self.language == "spark" else {}
        return narrow.get(found, {"element_at(ps, 1)": "n", "st.x": "p"}.get(found, found))


def test_python_s_own_precision_of_28_digits_counts_nowhere() -> None:
    row = {"m": Decimal("0.000000001"), "r": Decimal("-" + "9" * 29 + ".999999"), "w": Decimal("9" * 38)}
    for text in ("CAST(m * r AS DECIMAL(38, 18)) < -1", "concat(w, '') = '" + "9" * 38 + "'"):
        assert predicat.parse(text, "postgres", FIELDS).evaluate(row) is True, text


def check_own(language: str, engine: Attempts) -> None:
    """An engine gives the answers of predicat, but where it has an error, or digits that predicat has not."""
    made = Own(language)
    taken: dict[str, Predicate] = {}
    for _ in range(COUNT):
        text = made.condition(language)
        try:
            taken[text] = predicat.parse(text, language, FIELDS)
        except PredicatError:  # of more than 38 digits
            continue
    assert len(taken) > COUNT // 3
    wrong, beyond, compared = [], 0, 0
    for (text, one), theirs in zip(taken.items(), engine.answers(list(taken)), strict=True):
        ours = reference(one.evaluate, ROWS)
        assert not theirs.startswith("!"), theirs
        compared += len(theirs)
        for their, our in zip(theirs, ours, strict=True):
            beyond += our == "N" and their in "TF"
        if any(their not in (our, "E") and our != "N" for their, our in zip(theirs, ours, strict=True)):
            wrong.append(f"{text}\n  predicat {ours}\n  {language} {theirs}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(sorted(wrong, key=len)[:20])
    assert beyond <= compared * _BEYOND[language], (beyond, compared)


_BEYOND = {"spark": 0.0, "postgres": 0.1, "duckdb": 0.1}


@pytest.mark.slow
def test_spark_gives_the_answers_of_its_language(spark: Any) -> None:
    check_own("spark", Spark(spark, predicat.api.declared(FIELDS), ROWS))


def test_postgresql_gives_the_answers_of_its_language(postgres: Any) -> None:
    check_own("postgres", Postgres(postgres, predicat.api.declared(FIELDS), ROWS))


def test_duckdb_gives_the_answers_of_its_language() -> None:
    check_own("duckdb", DuckDB(predicat.api.declared(FIELDS), ROWS))
