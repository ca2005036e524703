"""`predicat discover --propose`: a catalog that loads, whose tests pass, and that writes over nothing."""

import json
from collections import Counter
from collections.abc import Collection
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml

from predicat import compare, parse
from predicat.api import declared
from predicat.catalog import load_catalog
from predicat.diagnostics.messages import discover as say
from predicat.discover.drafts import unused
from predicat.discover.names import name_of
from predicat.discover.passing import passing
from predicat.discover.references import PartKeys, proved, with_references
from predicat.discover.rules import as_people_write
from tests.processes import in_process

SQL = """
create table shop.orders (id bigint, status varchar(9), amount numeric(9, 2), placed timestamp,
  weight float8);
select 1 from shop.orders where status = 'open' and amount > 3.5;
select 1 from shop.orders o where o.amount > 3.5 and o.status = 'open';
select 1 from shop.orders where placed >= '2026-01-01';
select 1 from shop.orders where status = 'a' and status = 'b';
select 1 from shop.orders where weight > 1.5;
select 1 from users where lower(name) like '{{%' or age > :age;
select 1 from users where country in ('de', 'fr') and age is not null and age < 18;
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "a.sql").write_text(SQL.replace("{{", "{"))
    return tmp_path


def test_a_proposal_is_a_catalog(folder: Path) -> None:
    done = in_process(
        "discover", "sql", "--dialect", "postgres", "--min-places", "1", "--propose", "catalog", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "4 filters in 2 datasets" in done.stdout
    assert "left out: it matches no row" in done.stderr and "left out: it has parameters" in done.stderr
    catalog = load_catalog(folder / "catalog")
    orders = catalog.datasets["orders"]
    assert orders.relation["postgres"] == "shop.orders"
    assert {name: str(row.type) for name, row in orders.fields.items()} == {
        "amount": "decimal(9,2)",
        "placed": "timestamp",
        "status": "string",
        "weight": "double",
    }
    assert orders.filters["weight_above_1_5"].description.startswith("Rows where weight is more than 1.5. ")
    open_orders = orders.filters["status_open_amount_above_3_5"]
    assert "sql/a.sql:4, sql/a.sql:5" in open_orders.description
    assert {test.matches for test in open_orders.tests} == {True, False}
    assert in_process("check", cwd=folder).returncode == 0
    assert in_process("test", cwd=folder).returncode == 0


def test_a_comparison_with_null_is_no_filter_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(
        "create table orders (note text, amount bigint);\n"
        "select 1 from orders where note = null;\n"
        "select 1 from orders where note = null or amount > 7;\n"
        "select 1 from orders where amount > 3;\n"
    )
    done = in_process(
        "discover",
        "a.sql",
        "--dialect",
        "postgres",
        "--min-places",
        "1",
        "--propose",
        "catalog",
        cwd=tmp_path,
    )
    assert "1  left out: it matches no row" in done.stderr
    assert "2 filters in 1 dataset" in done.stdout
    checked = in_process("check", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr


def test_nothing_is_written_over(folder: Path) -> None:
    (folder / "catalog").mkdir()
    (folder / "catalog" / "orders.yml").write_text("# mine\n")
    done = in_process("discover", "sql", "--min-places", "1", "--propose", "catalog", cwd=folder)
    assert "catalog/orders.yml exists and is kept" in done.stdout
    assert (folder / "catalog" / "orders.yml").read_text() == "# mine\n"
    assert (folder / "catalog" / "users.yml").exists()


def test_texts_that_yaml_reads_as_something_else_are_quoted(tmp_path: Path) -> None:
    words = (
        "Yes",
        "No",
        "on",
        "off",
        "true",
        "null",
        "~",
        "1_000",
        "1:30",
        "0x1f",
        "2026-01-01",
        "1e3",
        "=",
        "y",
    )
    (tmp_path / "a.sql").write_text(
        "".join(f"select 1 from t where a{n} = '{word}';\n" for n, word in enumerate(words))
    )
    in_process("discover", "a.sql", "--min-places", "1", "--propose", "catalog", cwd=tmp_path)
    done = in_process("test", cwd=tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    policy = '{"Type": "AWS::SNS::Subscription", "Properties": {"FilterPolicy": {"a": ["Yes", "1:30"]}}}'
    (tmp_path / "policy.json").write_text(f'{{"Resources": {{"S": {policy}}}}}')
    done = in_process("import", "policy.json", "--to", "imported.yml", cwd=tmp_path)
    assert "'Yes'" in (tmp_path / "imported.yml").read_text(), done.stderr


def test_names_that_are_cut_stay_valid(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(
        "".join(f"select 1 from {'long_name_' * 7}{number} where a = {number};\n" for number in range(12))
    )
    done = in_process("discover", "a.sql", "--min-places", "1", "--propose", "catalog", cwd=tmp_path)
    assert "12 filters in 12 datasets" in done.stdout, done.stderr
    assert in_process("check", cwd=tmp_path).returncode == 0


def test_a_dataset_that_the_catalog_has_is_not_written_again(folder: Path) -> None:
    (folder / "catalog" / "shop").mkdir(parents=True)
    (folder / "catalog" / "shop" / "sales.yaml").write_text(
        "apiVersion: predicat/v1\ndataset: 'orders'\nfields: {amount: bigint}\n"
    )
    done = in_process("discover", "sql", "--min-places", "1", "--propose", "catalog", cwd=folder)
    assert "catalog/shop/sales.yaml exists and is kept" in done.stdout
    assert not (folder / "catalog" / "orders.yml").exists()
    assert in_process("check", cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("status = 'open' AND amount > 3", "status_open_and_amount_above_3"),
        ("NOT a IS NULL", "has_a"),
        ("a IS NULL OR b", "no_a_or_b"),
        ("x IN ('a', 'b')", "x_a_or_b"),
        ("x BETWEEN -1 AND 2", "x_minus_1_to_2"),
        ("LOWER(name) LIKE '%GmbH%'", "name_like_gmb_h"),
        ("a = 1 AND b = 2 AND c = 3 AND d = 4", "a_1_and_b_2_and_c_3_and_more"),
        ("COALESCE(a, '') <> ''", "a_not_empty"),
        ("a IS NOT TRUE AND b = FALSE AND c IS TRUE", "not_a_true_b_false_c_true"),
        ("verb = 'https://example.org/verbs/evaluated/'", "verb_evaluated"),
        ("day > '2026-01-31' AND seen < CAST('2026-02-01' AS DATE)", "day_after_20260131_and_more"),
        ("a <> '2026-01-31' AND b = c", "a_not_20260131_and_b_is_c"),
        ("balance <= 0 OR arrears_balance <= 0", "balance_up_to_0_or_other"),
        ("balance > 0 AND arrears_balance > 0", "balance_above_0_and_more"),
        ("channel = 'C01SK13R9NJ' AND kind = 'SUCCESS'", "channel_c01sk13r9nj_and_more"),
    ],
)
def test_names(sql: str, name: str) -> None:
    assert name_of(sql) == name


PARTS = """
create table shop.orders (id bigint, status varchar(9), amount numeric(9, 2), kind bigint);
select 1 from shop.orders where status = 'open' and (kind = 1 or kind = 2);
select 1 from shop.orders where amount > 3 and kind in (1, 2);
select 1 from shop.orders o where (o.kind = 2 or o.kind = 1) and amount > 3 and 'open' = o.status and id <> 7;
select 1 from shop.orders where status = 'open' or amount > 3;
"""


def test_a_rule_refers_to_the_rule_that_is_a_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "a.sql").write_text(PARTS)
    done = in_process(
        "discover", "sql", "--dialect", "postgres", "--min-places", "1", "--propose", "catalog", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    filters = load_catalog(tmp_path / "catalog").datasets["orders"].filters
    bodies = {name: str(row.current.body) for name, row in filters.items()}
    referring = {name: body for name, body in bodies.items() if "matches_filter" in body}
    ((name, body),) = referring.items()
    assert body.startswith("matches_filter('") and " AND " in body and len(bodies) == 4
    plain = parse("kind IN (1, 2) AND amount > 3 AND status = 'open' AND id <> 7", "sql", FIELDS)
    assert compare(plain, filters[name].current.predicate).same_rows
    assert in_process("check", cwd=tmp_path).returncode == 0
    assert in_process("test", cwd=tmp_path).returncode == 0


FIELDS = {"id": "bigint", "status": "string", "amount": "decimal(9,2)", "kind": "bigint", "closed": "boolean"}


def test_a_reference_is_kept_only_if_the_rows_are_proved_to_be_the_same() -> None:
    rules = {
        name: (sql, parse(sql, "sql", FIELDS))
        for name, sql in {
            "open": "status = 'open' AND amount > 3",
            "more": "amount > 3 AND kind = 1 AND status = 'open'",
            "flag": "closed",
            "flagged": "closed AND kind = 1",
            "odd": "kind = 1 AND status = 'open' OR amount > 3",
        }.items()
    }
    found = with_references(rules, PartKeys(declared(FIELDS)))
    assert found == {"more": "matches_filter('open') AND kind = 1"}
    text = (
        f"apiVersion: predicat/v1\ndataset: orders\nrelation: shop.orders\nfields: {json.dumps(FIELDS)}\n"
        "filters:\n"
        "  open: {sql: \"status = 'open' AND amount > 3\"}\n"
        "  more: {sql: \"matches_filter('open') AND kind = %s\"}\n"
    )
    assert list(proved(text % 1, "orders", rules)) == ["open", "more"]
    assert list(proved(text % 2, "orders", rules)) == ["open"]
    assert list(proved(text % "nothing", "orders", rules)) == []


NEAR = {
    "a": "select 1 from shop.orders where status in ('open', 'late', 'new') and amount > 3;",
    "b": "select 1 from shop.orders where status in ('open', 'late') and amount > 3;",
    "c": "select 1 from shop.orders where kind = 7;",
}


@pytest.mark.parametrize(
    ("answer", "kept"), [("1", {"NEW", "KIND"}), ("2", {"OLD", "KIND"}), ("", {"NEW", "OLD", "KIND"})]
)
def test_of_two_near_rules_somebody_says_which_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, kept: set[str]
) -> None:
    (tmp_path / "sql").mkdir()
    for name, text in NEAR.items():
        (tmp_path / "sql" / f"{name}.sql").write_text(text)
    monkeypatch.setattr("sys.stdin", StringIO(f"{answer}\n" + "\n" * len(kept)))
    args = ("--dialect", "postgres", "--min-places", "1", "--propose", "catalog", "--interactive")
    done = in_process("discover", "sql", *args, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    asked = done.stdout + done.stderr
    assert "Two rules on shop.orders are nearly the same: " in asked
    assert "status IN ('open', 'late', 'new') AND amount > 3\n     in sql/a.sql:1" in asked
    assert "They differ for {" in asked and '"new"' in asked
    words = {"'new'": "NEW", "'late') AND": "OLD", "kind": "KIND"}
    bodies = [str(row.current.body) for row in load_catalog(tmp_path / "catalog").filters()]
    assert {word for body in bodies for part, word in words.items() if part in body} == kept
    assert ("a rule that is nearly the same was chosen" in done.stderr) is (len(kept) == 2)


def test_without_questions_both_near_rules_are_proposed(tmp_path: Path) -> None:
    (tmp_path / "sql").mkdir()
    for name, text in NEAR.items():
        (tmp_path / "sql" / f"{name}.sql").write_text(text)
    in_process(
        "discover", "sql", "--dialect", "postgres", "--min-places", "1", "--propose", "catalog", cwd=tmp_path
    )
    assert len(list(load_catalog(tmp_path / "catalog").filters())) == 3


def test_a_rule_in_one_place_is_no_filter_unless_a_table_declares_it(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(
        "create table t (a bigint check (a > 0), b bigint);\n"
        "select 1 from t where b = 2;\nselect 1 from t where b = 3;\nselect 1 from t where b = 4;\n" * 2
    )
    (tmp_path / "b.sql").write_text("select 1 from t where b = 3 or b = 5;\nselect 1 from t where b = 3;\n")
    done = in_process("discover", ".", "--propose", "catalog", cwd=tmp_path)
    assert "4  left out: it is one comparison in fewer than 2 files" in done.stderr
    assert "left out: it is in fewer than 2 places" in done.stderr
    assert set(load_catalog(tmp_path / "catalog").datasets["t"].filters) == {"a_above_0", "b_3"}


def test_a_column_that_is_only_tested_for_null_has_no_invented_number(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("select 1 from t where gone is null and a = 1;\n" * 2)
    in_process("discover", "a.sql", "--propose", "catalog", cwd=tmp_path)
    fields = load_catalog(tmp_path / "catalog").datasets["t"].fields
    assert {name: str(row.type) for name, row in fields.items()} == {"a": "bigint", "gone": "string"}
    told = {name: row.description for name, row in fields.items()}
    assert told == {"a": say.SOME_NUMBER, "gone": say.UNKNOWN_TYPE}
    assert in_process("test", cwd=tmp_path).returncode == 0


def test_a_name_that_is_taken_is_that_of_another_part() -> None:
    taken: list[str] = []
    for kind in ("ATC 4th", "ATC 2nd"):
        taken.append(name_of(f"vocabulary_id = 'ATC' AND class_id = '{kind}'", "_part", taken))
    assert taken == ["vocabulary_id_atc_part", "class_id_atc_2nd_part"]
    assert name_of("a AND b > 1", "", ["a_and_b_above_1", "a_b_above_1", "a_and_more"]) == "b_above_1"
    assert name_of("a = 1", "", ["a_1"]) == "a_1"
    assert unused("observation_source_concept_id", ["observation_source_concept_id"], 30) == (
        "observation_source_concept_2"
    )


@pytest.mark.parametrize(
    ("sql", "end", "name"),
    [
        ("status = 'open' AND amount > 3.5", "", "status_open_amount_above_3_5"),
        ("subscription_status = 'active' AND amount > 3.5", "", "subscription_status_active"),
        ("a_date_with_a_rather_long_name > '2026-01-31'", "", "long_name_after_20260131"),
        ("subscription_status = 'active' AND amount > 3.5", "_part", "subscription_status_part"),
        ("x_of_a_very_long_column_name_of_more_than_thirty = 1", "", "x_of_a_very_long_column_name"),
        ("a" * 40 + " = 1", "_part", "a" * 25 + "_part"),
    ],
)
def test_names_are_short(sql: str, end: str, name: str) -> None:
    assert name_of(sql, end) == name and len(name) <= 30


CLOCK = """
create table shop.orders (id bigint, status varchar(9), placed timestamp, closed boolean);
select 1 from shop.orders where placed <= current_timestamp and status = 'open';
select 1 from shop.orders where status = 'closed';
select 1 from shop.orders where not closed;
select 1 from shop.orders where status <> 'new' and cast(status as varchar) <> 'open';
select 1 from shop.orders where 'closed' = status;
select 1 from shop.orders where status like '%sed' and not status <> 'closed';
"""


def proposed(folder: Path, sql: str, *options: str) -> tuple[dict[str, Any], str]:
    """The one dataset that is proposed for a text of SQL, and what the command says on the way."""
    (folder / "a.sql").write_text(sql)
    options = ("--dialect", "postgres", "--min-places", "1", *options)
    done = in_process("discover", "a.sql", *options, "--propose", "catalog", cwd=folder)
    assert done.returncode == 0, done.stderr
    for args in (("check",), ("test",), ("fmt", "--check", "catalog")):
        passed = in_process(*args, cwd=folder)
        assert passed.returncode == 0, passed.stderr + passed.stdout
    (file,) = (folder / "catalog").iterdir()
    data: dict[str, Any] = yaml.safe_load(file.read_text())
    return data, done.stderr


def test_rules_that_read_the_clock_have_tests_and_pass(tmp_path: Path) -> None:
    data, _ = proposed(tmp_path, CLOCK)
    assert str(data["now"]) == "2026-02-01 10:00:00"
    (timed,) = (rule for rule in data["filters"].values() if "placed" in rule["sql"])
    assert [test["matches"] for test in timed["tests"]] == [True, False]
    assert timed["tests"][0]["row"]["status"] == "open"


def test_rows_of_tests_have_the_constants_of_the_code(tmp_path: Path) -> None:
    data, _ = proposed(tmp_path, CLOCK)
    rows = [test["row"] for test in data["filters"]["status_closed"]["tests"]]
    assert rows == [{"status": "closed"}, {"status": "open"}]


def test_a_negation_has_a_test_without_a_value(tmp_path: Path) -> None:
    data, _ = proposed(tmp_path, CLOCK)
    assert {"row": {}, "matches": False} in data["filters"]["not_closed"]["tests"]
    assert "P301" not in in_process("lint", cwd=tmp_path).stdout


def test_rules_that_take_the_same_rows_are_one_filter(tmp_path: Path) -> None:
    data, _ = proposed(tmp_path, CLOCK)
    assert len(data["filters"]) == 4
    assert "a.sql:4, a.sql:7" in data["filters"]["status_closed"]["description"]


def test_a_case_that_looks_up_a_value_is_no_rule(tmp_path: Path) -> None:
    branches = "when kind = 'a' then 1 when kind = 'b' then 2 when n > 3 then 4"
    sql = (
        f"select case {branches} end from t;\nselect case when kind = 'c' then 1 end, 1 from t where n = 3;\n"
    )
    data, told = proposed(tmp_path, sql)
    assert {rule["sql"] for rule in data["filters"].values()} == {"n > 3", "kind = 'c'", "n = 3"}
    assert f"2  left out: {say.LOOKUP}" in told


def test_a_schema_that_a_program_puts_in_is_no_part_of_a_relation(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("select 1 from @results.t where a = 1 and b = 2;\n")
    (tmp_path / "b.sql").write_text("select 1 from {{ x }}.t where a = 1 and b = 2;\n")
    (tmp_path / "c.sql").write_text("select 1 from x.information_schema.columns where a = 1 or b = 2;\n" * 2)
    done = in_process("discover", ".", "--dialect", "bigquery", "--propose", "catalog", cwd=tmp_path)
    (dataset,) = load_catalog(tmp_path / "catalog").datasets.values()
    assert set(dataset.relation.values()) == {"t"}, done.stderr
    assert f"2  left out: {say.OF_SERVER}" in done.stderr


def test_members_of_structs_are_fields_of_their_struct(tmp_path: Path) -> None:
    data, _ = proposed(
        tmp_path,
        "select 1 from t x where x.device.os = 'a' and x.device.v.n > 3 and not x.device.old;\n"
        "select 1 from t where os = 'a' and device.os is not null;\n",
        "--dialect",
        "bigquery",
    )
    assert data["fields"]["device"]["type"] == "struct<old: boolean, os: string, v: struct<n: bigint>>"
    assert data["fields"]["os"] == "string"
    first, second = data["filters"].values()
    assert first["sql"] == "device.os = 'a' AND device.v.n > 3 AND NOT device.old"
    assert second["sql"] == "os = 'a' AND device.os IS NOT NULL"
    assert second["tests"][0] == {"row": {"os": "a", "device": {"os": ""}}, "matches": True}


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        (
            "NOT a IS NULL AND NOT b IN ('x') AND NOT c LIKE '%x'",
            "a IS NOT NULL AND b NOT IN ('x') AND c NOT LIKE '%x'",
        ),
        ("NOT n BETWEEN 1 AND 2 OR NOT (a = 1 OR b)", "n NOT BETWEEN 1 AND 2 OR NOT (a = 1 OR b)"),
        ("((NOT a IS NULL))", "a IS NOT NULL"),
        ("NOT (NOT a IS NULL) IS TRUE", "(a IS NOT NULL) IS NOT TRUE"),
        ("NOT a IS NOT DISTINCT FROM :b", "NOT a IS NOT DISTINCT FROM :b"),
    ],
)
def test_negations_are_written_as_people_do(sql: str, written: str) -> None:
    assert as_people_write(sql) == written
    assert as_people_write(written) == written


def test_a_description_names_as_many_places_as_fit_in_a_line() -> None:
    short, long = (
        [f"sql/{name}.sql:1" for name in "abcd"],
        ["folder/" * 12 + f"{name}.sql:1" for name in "ab"],
    )
    assert say.described("where a is 1", short, []).endswith(
        "Found in sql/a.sql:1, sql/b.sql:1, sql/c.sql:1 and 1 more place."
    )
    assert say.described("where a is 1", long, []).endswith(f"Found in {long[0]} and 1 more place.")


def test_a_boolean_column_alone_is_no_rule_unless_a_table_declares_it(tmp_path: Path) -> None:
    conditions = ("(b)", "b = true", "not b")
    sql = "".join(f"select 1 from t where {condition};\n" for condition in conditions)
    sql = f"create table t (a boolean check (a));\n{sql}"
    data, told = proposed(tmp_path, sql)
    assert {rule["sql"] for rule in data["filters"].values()} == {"a", "NOT b"}
    assert f"2  left out: {say.BARE}" in told


def test_tests_show_what_each_operand_does(tmp_path: Path) -> None:
    data, _ = proposed(
        tmp_path,
        "select 1 from t where n > 3 and s = 'open' and d;\n"
        "select 1 from t where n = 9 or s in ('new', 'old');\n",
    )
    every, any_ = (
        [(*test["row"].values(), test["matches"]) for test in rule["tests"]]
        for rule in data["filters"].values()
    )
    assert every == [
        (9, "open", True, True),
        (3, "open", True, False),
        (9, "new", True, False),
        (9, "open", False, False),
    ]
    assert any_ == [(9, "open", True), (3, "new", True), (3, "open", False)]


def test_a_number_has_a_fraction_where_its_own_constants_have_one(tmp_path: Path) -> None:
    data, _ = proposed(tmp_path, "select 1 from t where a in (1, 2) and not (b between 1.5 and 2);\n")
    assert {name: row["type"] for name, row in data["fields"].items()} == {"a": "bigint", "b": "double"}


def test_a_regular_expression_is_no_value_of_a_row(tmp_path: Path) -> None:
    data, _ = proposed(tmp_path, "select 1 from t where a ~ '^V[0-9]' or a = 'new';\n")
    (rule,) = data["filters"].values()
    assert [test["row"]["a"] for test in rule["tests"]] == ["new", "other"]


def test_single_rows_of_deletions_and_repairs_are_no_rules(tmp_path: Path) -> None:
    made_up = "a8f5f167f44f4964e6c998dee827110c"
    _, told = proposed(
        tmp_path,
        f"delete from t where event_id in ('{made_up}', 'b');\n"
        "update t set b = 1 where id = 12345;\n"
        f"select 1 from t where note <> '{made_up}';\n"
        "select 1 from t where kind_id = 3;\n"
        "delete from t where status = 'spam';\n",
    )
    filters = load_catalog(tmp_path / "catalog").datasets["t"].filters
    assert set(filters) == {"kind_id_3", "status_spam"}
    assert f"3  left out: {say.ONE_OFF}" in told


def test_a_migration_names_single_rows_and_a_rule_about_one_is_in_several_queries(tmp_path: Path) -> None:
    made_up = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    for name in ("sql", "migrations"):
        (tmp_path / name).mkdir()
    (tmp_path / "migrations" / "1.sql").write_text("select 1 from t where id = 7;\n" * 2)
    for name in ("a", "b"):
        (tmp_path / "sql" / f"{name}.sql").write_text(f"select 1 from t where feed_key <> '{made_up}';\n")
    done = in_process("discover", ".", "--dialect", "postgres", "--propose", "catalog", cwd=tmp_path)
    assert f"2  left out: {say.ONE_OFF}" in done.stderr
    ((_, rule),) = load_catalog(tmp_path / "catalog").datasets["t"].filters.items()
    assert made_up in str(rule.current.body)


def test_what_does_not_pass_is_left_out_with_a_reason() -> None:
    bodies = {"good": "n = 1", "bad": "n = 'x'", "failing": "n = 2"}
    left: Counter[str] = Counter()

    def data_of(names: Collection[str]) -> dict[str, Any]:
        filters: dict[str, Any] = {name: {"sql": bodies[name]} for name in names}
        for name in set(names) & {"failing"}:
            filters[name]["tests"] = [{"row": {"n": 1}, "matches": True}]
        return {"apiVersion": "predicat/v1", "dataset": "t", "fields": {"n": "bigint"}, "filters": filters}

    text, kept = passing("t", list(bodies), data_of, left)
    assert kept == ["good"] and set(yaml.safe_load(text)["filters"]) == {"good"}
    assert left.total() == 2 and all("would not pass" in reason for reason in left)


def test_tables_of_two_schemas_have_the_schema_in_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(
        "select 1 from web.event where a = 1;\nselect 1 from app.event where a = 1;\n"
    )
    in_process("discover", "a.sql", "--min-places", "1", "--propose", "catalog", cwd=tmp_path)
    assert set(load_catalog(tmp_path / "catalog").datasets) == {"event", "app_event"}


def test_a_long_condition_has_a_short_description(tmp_path: Path) -> None:
    values = ", ".join(f"'value {number}'" for number in range(40))
    data, _ = proposed(tmp_path, f"select 1 from t where kind in ({values}) and level = 3;\n")
    ((_, rule),) = data["filters"].items()
    assert rule["description"] == "Rows that meet several conditions on kind, level. Found in a.sql:1."


def test_a_type_that_predicat_has_not_is_named(tmp_path: Path) -> None:
    data, _ = proposed(
        tmp_path, "create table t (id uuid, n bigint);\nselect 1 from t where id = 'a' and n = 1;\n"
    )
    assert data["fields"]["n"] == "bigint"
    assert data["fields"]["id"] == {"type": "string", "description": say.other_type("UUID")}


def test_a_check_accepts_rows_without_a_value(tmp_path: Path) -> None:
    data, told = proposed(tmp_path, "create table t (name varchar(9) check (name <> 'x'));\n")
    ((_, rule),) = data["filters"].items()
    assert rule["on_unknown"] == "accept" and "would not pass" not in told


def test_rows_of_tests_are_those_of_the_data_but_not_of_persons(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "orders.csv").write_text(
        "status,amount,email,customer_id\nopen,17,s3ntinel@a.de,99071\nlost,5,s3ntinel@b.de,99072\n"
    )
    data, _ = proposed(
        tmp_path,
        "select 1 from orders where status = 'open' and amount > 3;\n"
        "select 1 from orders where email like '%@a.de';\n"
        "select 1 from orders where customer_id > 5;\n",
        "--engine",
        "data",
    )
    rows = [test["row"] for rule in data["filters"].values() for test in rule["tests"]]
    assert {"status": "open", "amount": 17} in rows and {"status": "lost", "amount": 5} in rows
    assert "s3ntinel" not in str(data) and "9907" not in str(data)


def test_rows_of_tests_have_no_value_of_a_sensitive_field(tmp_path: Path) -> None:
    for name in ("data", "known"):
        (tmp_path / name).mkdir()
    (tmp_path / "data" / "orders.csv").write_text("status\nopen\ns3ntinel\n")
    (tmp_path / "known" / "orders.yml").write_text(
        "apiVersion: predicat/v1\ndataset: orders\nrelation: orders\n"
        "fields: {status: {type: string, sensitive: true}}\n"
    )
    sql, engine = "select 1 from orders where status = 'open';\n", ("--engine", "data")
    data, _ = proposed(tmp_path, sql, *engine, "--catalog", "known")
    assert "s3ntinel" not in str(data)
    (tmp_path / "known" / "orders.yml").unlink()
    (tmp_path / "catalog" / "orders.yml").unlink()
    data, _ = proposed(tmp_path, sql, *engine)
    assert "s3ntinel" in str(data)


def test_a_relation_that_a_template_makes_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("select 1 from {{ found() }} where a = 1;\n" * 2)
    done = in_process("discover", "a.sql", "--propose", "catalog", cwd=tmp_path)
    assert f"2  left out: {say.NO_RELATION}" in done.stderr and not (tmp_path / "catalog").exists()
