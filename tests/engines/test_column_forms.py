"""Generated predicates on columns whose types are no types of expressions, and in sessions of other zones."""

from collections.abc import Mapping
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import predicat
from predicat.api import declared
from predicat.backends.column_types import column_type, holds
from predicat.deploy.columns import check_fields
from predicat.deploy.relations import columns_of
from predicat.diagnostics.messages.keys import READ_AS
from predicat.ir.canonical import canonical_text
from predicat.ir.column_forms import FORMS, form_of, of_field, spelled
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node, ParamDecl, Parameter, rewrite_children
from predicat.ir.types import BOOLEAN, STRING, TIMESTAMP
from predicat.ir.values import to_value
from predicat.proof.compare import example
from predicat.semantics.evaluate import compile_node
from tests.engines.predicates import FIELDS, TEXTS, predicates, rows
from tests.engines.rows import Tables
from tests.engines.test_generated import BATCH, check_batch, generated
from tests.rounds import rounds

UUIDS = [
    "00000000-0000-0000-0000-000000000000",
    "80000000-0000-0000-0000-000000000000",
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
]
# By type: texts that are its values.
OF_FORM: dict[str, list[str]] = {
    spelled("enum", tuple(TEXTS)): TEXTS,
    "uuid": UUIDS,
    "citext": TEXTS,
    "char(9)": list(dict.fromkeys(text.rstrip(" ")[:9].rstrip(" ") for text in TEXTS)),
    "name": [text for text in TEXTS if len(text.encode()) < 64],
    "inet": ["10.0.0.1", "10.0.0.0/8", "::1", "192.168.7.1/24", "::ffff:10.0.0.1", "2001:db8::/32"],
    "cidr": ["10.0.0.0/8", "10.0.0.1/32", "::/0", "2001:db8::/32"],
    "time": ["00:00:00", "08:30:00", "12:30:00.5", "23:59:59.999999"],
    "binary": ["\\x", "\\x00", "\\xff00", "\\x41"],
}
_ENUM = next(iter(OF_FORM))
# The types of the fields s, u, t and v in turn: each type of a column is generated.
STORED = [
    (_ENUM, "uuid", "timestamp_ntz", spelled("timestamp_in", ("Europe/Berlin",))),
    ("citext", "char(9)", "timestamp_ntz", ""),
    ("inet", "binary", "", spelled("timestamp_in", ("America/New_York",))),
    ("cidr", "time", "", ""),
    ("name", "citext", "", ""),
]
_tables: dict[int, Tables] = {}


def formed(place: int) -> dict[str, FieldDecl]:
    """The fields of generated predicates with the types of columns."""
    stored = dict(zip("sutv", STORED[place], strict=True))
    return {name: replace(decl, stored=stored.get(name, "")) for name, decl in FIELDS.items()}


FORMED = formed(0)


def over_forms(node: Node, place: int = 0) -> Node:
    """A predicate over columns with these types, with some texts that are values of theirs."""
    match node:
        case Field():
            found = replace(node, decl=formed(place)[node.decl.name])
            form = of_field(found)
            return form.seen(found) if form is not None else found
        case Literal(value=str(text)) if node.type == STRING and text in TEXTS[::4]:
            at = TEXTS.index(text) // 4
            values = list(filter(None, OF_FORM[STORED[place][1 - at % 2 if place else 1]]))
            return replace(node, value=values[at // 2 % len(values)])
        case _:
            return rewrite_children(node, lambda part: over_forms(part, place))


def formed_rows(count: int, place: int = 0) -> list[dict[str, Any]]:
    first, second, *_ = (OF_FORM[kind] for kind in STORED[place][:2])
    return [
        {
            **row,
            "s": row.get("s") if place == 0 else [*first, None][number % (len(first) + 1)],
            "u": [*second, None][number % (len(second) + 1)],
        }
        for number, row in enumerate(rows(count))
    ]


@pytest.mark.parametrize("place", range(len(STORED)))
@settings(generated, max_examples=max(generated.max_examples // 2, 1))
@given(nodes=st.lists(predicates(3), min_size=BATCH, max_size=BATCH))
def test_engines_agree(spark: Any, postgres: Any, place: int, nodes: list[Node]) -> None:
    if place not in _tables:
        _tables[place] = Tables(spark, postgres, formed(place), formed_rows(50, place))
    check_batch([over_forms(node, place) for node in nodes], _tables[place])


def test_every_type_of_a_column_is_generated() -> None:
    """Generated predicates have no decimals and documents: those are in the corpus and the type contract."""
    kinds = {kind.partition("(")[0] for kinds in STORED for kind in kinds} - {""}
    assert (
        kinds
        == set(FORMS) - {"ubigint", "json_text"}
        == {kind.partition("(")[0] for kind in OF_FORM} | {"timestamp_ntz", "timestamp_in"}
    )


LOCAL = {
    "t": "timestamp_ntz",
    "u": "timestamp_ntz",
    "z": {"type": "timestamp", "zone": "Europe/Berlin"},
    "m": "timestamp",
}
LOCALS = [
    "z = m",
    "z = TIMESTAMP '2026-03-29 01:30:00'",
    "z >= TIMESTAMP '2026-10-25 01:30:00'",
    "CAST(z AS date) = DATE '2026-03-29'",
    "t < u",
    "t = TIMESTAMP '2026-03-29 02:30:00'",
    "year(t) = 2025",
    "CAST(t AS date) = DATE '2026-03-29'",
    "date_trunc('hour', t) = TIMESTAMP '2026-03-29 02:00:00'",
    "t + INTERVAL '1' DAY > u",
    "t - u > INTERVAL '1' HOUR",
    "extract(hour FROM t) = 2",
    "date_trunc('hour', m) = TIMESTAMP '2026-03-29 02:00:00'",
    "date_trunc('week', m) = TIMESTAMP '2026-03-23 00:00:00'",
    "date_trunc('minute', m) = m",
]


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin"])
def test_the_zone_of_the_session_does_not_matter(spark: Any, postgres: Any, zone: str) -> None:
    """Among the values are those that the zone skips, or has twice."""
    times = [
        "2026-03-29 02:30:00",
        "2025-12-31 23:59:59.999999",
        "2026-03-08 02:30:00",
        "2026-10-25 02:30:00",
    ]
    found = [
        {"t": one, "u": other, "z": other, "m": to_value(other, TIMESTAMP)}
        for one in times
        for other in times
    ]
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    postgres.execute(f"SET TimeZone = '{zone}'".encode())
    try:
        nodes = [predicat.parse(text, "sql", LOCAL).node for text in LOCALS]
        check_batch(nodes, Tables(spark, postgres, declared(LOCAL), found, ["spark", "postgres"]))
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
        postgres.execute("RESET TimeZone")


# Documents of a `json` column, and what `j.a` is there as text. jsonb cannot have some of them.
DOCUMENTS: Mapping[str, str | None] = {
    r'{"a": "x"}': "x",
    r'{"a": "x", "a": "y"}': "y",
    r'{"a": "\u0000"}': None,
    r'{"a": "\\u0000"}': r"\u0000",
    r'{"a": "\\\u0000"}': None,
    r'{"a": "\ud83d\ude00"}': "😀",
    r'{"a": "\ud83d"}': None,
    r'{"a": "\ude00\ud83d"}': None,
    r'{"a": "\\ud83d"}': r"\ud83d",
    r'{"a": "5e123456"}': "5e123456",
    r'{"a": "\"5e123456"}': '"5e123456',
    r'{"b": 5e123456, "a": "x"}': None,
    r'{"b": 5e1234, "a": "x"}': "x",
    f'{{"b": {"1" * 2000}, "a": "x"}}': None,
    f'{{"b": "{"1" * 2000}", "a": "x"}}': "x",
    "null": None,
    "[1]": None,
}


def test_documents_of_a_json_column_raise_no_error(postgres: Any) -> None:
    sql = predicat.parse("j.a = t", "sql", {"j": "json_text", "t": "string"}).sql("postgres")
    values = ", ".join("(%s::json, %s::text)" for _ in DOCUMENTS)
    given = [part for pair in DOCUMENTS.items() for part in pair]
    query = f"SELECT j::text, {sql.replace('%', '%%')} FROM (VALUES {values}) AS documents (j, t)"
    found = dict(postgres.execute(query.encode(), given).fetchall())
    assert found == {text: None if wanted is None else True for text, wanted in DOCUMENTS.items()}


REFUSED: Mapping[str, str] = {
    "id = 'abc'": "'abc' is no value of a column of uuid",
    "id IN ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '')": "'' is no value of a column of uuid",
    "state = 'lost'": "'lost' is no value of a column of enum(new, paid)",
    "state > 'new'": "the order of state, an enum(new, paid) column, differs between engines",
    "greatest(state, 'new') = 'new'": "the order of state",
    "code = 'abcd'": "'abcd' is no value of a column of char(3)",
    "substr(mail, 1, 1) = 'A'": "mail is read in lower case, and the constant has capital letters",
    "coalesce(mail, 'x') IN ('Ab', 'c')": "mail is read in lower case, and the constant has capital letters",
    "CAST(mail AS string) = 'ab'": "mail is read in lower case, but its text in PostgreSQL",
    "regexp_like(mail, 'A.b')": "mail is read in lower case: capital letters never match",
    "b = 'xyz'": "'xyz' is no value of a column of binary",
    "upper(b) = 'X'": "b, a binary column, is only compared",
    "octet_length(mail) = 2": "the number of bytes of a value that is no binary column",
    "net = '10.0.0.1/8'": "'10.0.0.1/8' is no value of a column of cidr",
    "net < '10.0.0.0/8'": "the order of net, a cidr column, differs between engines",
    "ip << '10.0.0.0/8'": "write the filter in CEL: cidr(",
    "opens > '25:00'": "'25:00' is no value of a column of time",
    "opens = t::time": "cannot compare string with duration",
    "ip = '10.0.0.256'": "'10.0.0.256' is no value of a column of inet",
    "ip < '10.0.0.1'": "the order of ip, an inet column, differs between engines",
    "t > m": "t is a local time, and m is a moment",
    "t > now()": "t is a local time, and now() is a moment",
    "t > now() AT TIME ZONE 'UTC' AT TIME ZONE 'UTC'": "t is a local time, and now() is a moment",
    "coalesce(t, m) > TIMESTAMP '2026-01-01 00:00:00'": "t is a local time, and m is a moment",
    "t > TIMESTAMP '2026-01-01 00:00:00+01:00'": "is no value of a column of timestamp_ntz",
    "z > t": "t is a local time, and z is a moment",
    "t AT TIME ZONE 'Europe/Berlin' > TIMESTAMP '2026-01-01 00:00:00'": "not shown in another zone",
}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (f"id = '{UUIDS[2].upper()}'::uuid", "postgres"),
        (f"id = CAST('{UUIDS[2]}' AS uuid)", "sql"),
        (f"id IN ('{UUIDS[2]}'::UUID)", "duckdb"),
        ("ip = inet '10.0.0.1/32'", "postgres"),
        ("ip = '10.0.0.1'::inet", "postgres"),
        ("state IN ('new'::order_status, 'paid'::public.order_status)", "postgres"),
        ("state = CAST('new' AS order_status)", "sql"),
        ("state = ANY(ARRAY['new']::mood[])", "postgres"),
        ("mail = 'ANN'::citext", "postgres"),
        ("digest = '\\xFF'::bytea", "postgres"),
    ],
)
def test_a_constant_may_have_the_type_of_its_column(text: str, language: str) -> None:
    found = predicat.parse(text, language, CAST_TO)
    row = {"id": UUIDS[2], "ip": "10.0.0.1", "state": "new", "mail": "Ann", "digest": b"\xff"}
    assert found.evaluate(row) is True
    assert "'::" not in found.sql("postgres").replace("'::citext", "")


CAST_TO = {"id": "uuid", "ip": "inet", "state": "enum(new, paid)", "mail": "citext", "digest": "bytea"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"s = '{UUIDS[2]}'::uuid", "a constant of uuid is only beside fields of this type"),
        ("s = 'new'::order_status", "a constant of enum is only beside fields of this type"),
        ("s = 'A'::citext", "a constant of citext is only beside fields of this type"),
        ("length('A'::citext) = 1", "a constant of citext is only beside fields of this type"),
        ("state = 'lost'::order_status", "'lost'::order_status is no value of a column of enum(new, paid)"),
    ],
)
def test_a_constant_of_another_type_is_refused(text: str, reason: str) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        predicat.parse(text, "postgres", {**CAST_TO, "s": "string"})
    assert reason in str(caught.value)


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_meaning_is_refused(text: str) -> None:
    fields = {"id": "uuid", "state": "enum(new, paid)", "t": "timestamp_ntz", "m": "timestamp"}
    fields |= {"z": "timestamp_in(Europe/Berlin)"}
    fields |= {"code": "char(3)", "mail": "citext", "b": "bytea", "ip": "inet"}
    fields |= {"net": "cidr", "opens": "time"}
    with pytest.raises(predicat.PredicatError) as caught:
        predicat.parse(text, "sql", fields)
    assert REFUSED[text] in str(caught.value)
    assert all(problem.span.text for problem in caught.value.diagnostics)


BAD_TYPES = {
    "enum()": "write the labels of an enum",
    "enum(a, a)": "a label of an enum is written twice",
    "enum(a b)": "write the labels of an enum",
    "enum": "write the labels of an enum",
    "array<uuid(3)>": "uuid has no parentheses: write uuid",
    "map<string, uuid>": "is not a type",
    "timestamp_in(Mars)": "'Mars' is not a time zone",
    "timestamp_in": "'' is not a time zone",
    "uuid(3)": "uuid has no parentheses: write uuid",
    "inet(8)": "inet has no parentheses: write inet",
    "time(9)": "time has at most 6 digits of a second",
    "uuidd": "did you mean 'uuid'?",
    "time with time zone": 'expression: {postgres: "x::text"}',
    "hugeint": 'expression: {duckdb: "TRY_CAST(x AS DECIMAL(38,0))"}',
}


@pytest.mark.parametrize("text", BAD_TYPES)
def test_a_type_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        declared({"x": text})
    assert BAD_TYPES[text] in str(caught.value)


@pytest.mark.parametrize("name", READ_AS)
def test_a_type_that_no_field_has_is_refused_with_an_expression_that_works(name: str, postgres: Any) -> None:
    kind, engine, read = READ_AS[name]
    with pytest.raises(predicat.PredicatError) as caught:
        declared({"x": name})
    assert read.format("x") in str(caught.value)
    decl = declared({"x": {"type": kind, "expression": {engine: read.format("x")}}})["x"]
    if engine == "duckdb":
        with duckdb.connect() as connection:
            (found,) = connection.execute(
                f"SELECT {decl.expression(engine)} FROM (SELECT 1::{name} AS x)"
            ).description
            assert holds(engine, decl, column_type(engine, str(found[1]))).kind != "refused"
        return
    known = postgres.execute("SELECT to_regtype(%s)::text", (name,)).fetchone()[0]
    if known is None:
        pytest.skip("the server has no such type")
    postgres.execute(
        f"CREATE TEMPORARY TABLE of_types (x {known}); INSERT INTO of_types VALUES (NULL)".encode()
    )
    try:
        kinds, composites = columns_of(postgres, "of_types", [decl])
        check_fields(engine, "of_types", kinds, [decl], composites)
    finally:
        postgres.execute("DROP TABLE of_types")


def test_labels_are_any_text() -> None:
    labels = ("new", "it's", "a, b", "c)", " d", "e\nf", "")
    form = form_of(spelled("enum", labels))
    assert form is not None and form.words == labels


@pytest.mark.parametrize(
    ("kind", "one", "other", "verdict"),
    [
        ("enum(new, paid)", "x IN ('new', 'paid')", "x = 'paid' OR x <> 'paid'", "equivalent"),
        ("enum(new, paid)", "x <> 'new'", "x = 'paid'", "equivalent"),
        ("enum(new, paid, lost)", "x <> 'new'", "x = 'paid'", "narrower"),
        ("uuid", f"x > '{UUIDS[0]}'", f"x <> '{UUIDS[0]}'", "equivalent"),
        ("uuid", f"x = '{UUIDS[2].upper()}'", f"x IN ('{UUIDS[2]}')", "equivalent"),
        ("uuid", f"x < '{UUIDS[1]}'", "x LIKE '0%'", "narrower"),
        ("char(2)", "x = 'a '", "x = 'a'", "equivalent"),
        ("char(2)", "length(x) <= 2", "x IS NOT NULL", "equivalent as a filter"),
        ("binary", "x = 'FF'", "x IN ('\\xff')", "equivalent"),
        ("inet", "x = '10.0.0.1/32'", "x IN ('10.0.0.1')", "equivalent"),
        ("citext", "x = 'ABC'", "x IN ('abc')", "equivalent"),
        ("cidr", "x = '10.0.0.1'", "x IN ('10.0.0.1/32')", "equivalent"),
        ("ubigint", "x >= 0", "x IS NOT NULL", "equivalent as a filter"),
        ("ubigint", "x > 18446744073709551615", "FALSE", "equivalent as a filter"),
        ("ubigint", "x > 4.5", "x >= 5", "equivalent"),
        ("json_text", "x.a = 'b'", "x.a IN ('b')", "equivalent"),
        ("time", "x >= '10:00'", "x > TIME '09:59:59.999999'", "equivalent"),
        ("time", "x > '10:00'", "x >= TIME '10:00'", "wider"),
        ("time", "x <= '24:00'", "x IS NOT NULL", "equivalent as a filter"),
        ("name", "x = 'a'", "x IN ('a')", "equivalent"),
        ("citext", "'ABC' IN (x, 'y')", "x = 'abc'", "equivalent"),
        ("timestamp_ntz", "x >= now() AT TIME ZONE 'UTC'", "x > now() AT TIME ZONE 'UTC'", "narrower"),
        ("timestamp_in(Asia/Tokyo)", "x >= now()", "x > now()", "narrower"),
        ("timestamp_in(UTC)", "x > '2025-01-01'", "x > '2025-01-02'", "narrower"),
        ("timestamp_in(Europe/Berlin)", "x = '2026-10-25 00:30:00'", "x > x", "equivalent"),
        (
            "timestamp_in(Europe/Berlin)",
            "CAST(x AS date) = DATE '2026-10-25'",
            "x >= '2026-10-25' AND x < '2026-10-26'",
            "equivalent",
        ),
        ("timestamp_ntz", "year(x) = 2025", "x >= '2025-01-01' AND x < '2026-01-01'", "equivalent"),
    ],
)
def test_proofs_know_the_values(kind: str, one: str, other: str, verdict: str) -> None:
    found = predicat.compare(*(predicat.parse(text, "sql", {"x": kind}) for text in (one, other)))
    assert (found.kind, found.proof) == (
        verdict,
        "proved" if verdict.startswith("equivalent") else found.proof,
    )
    if found.lost is not None:
        now = found.lost.params.get("now()")
        assert predicat.parse(one, "sql", {"x": kind}).evaluate(found.lost.row, now=now) is True


@settings(generated, max_examples=max(generated.max_examples // 2, 1))
@given(nodes=st.lists(predicates(2), min_size=10, max_size=10))
def test_no_row_has_an_outcome_that_is_said_never_to_be(nodes: list[Node]) -> None:
    found = formed_rows(50)
    for node in rounds(map(over_forms, nodes), 10):
        run = compile_node(node)
        seen = {run(row) for row in found}
        for outcome in rounds(seen, 1):
            assert example(node, outcome, 0.1)[0] != "none", (canonical_text(node), outcome)


@pytest.mark.parametrize(
    "kind",
    ["uuid", *filter(None, STORED[0][2:]), "char(3)", "citext", "binary", "time", "name", "ubigint", _ENUM],
)
@pytest.mark.parametrize("op", ["eq", "ne", "lt", "ge"])
def test_a_column_may_be_beside_any_parameter(kind: str, op: str) -> None:
    decl = declared({"x": kind})["x"]
    beside = Parameter(decl.type, ParamDecl("p", decl.type, required=True))
    node = Call(BOOLEAN, op, (Field(decl.type, decl), beside))
    for outcome in (True, False):
        answer, witness = example(node, outcome)
        assert answer == "found" and witness is not None, outcome
