"""A branch, a change, a review: as in a pull request, with a real git repository."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from predicat.review.topics import of_unchanged
from tests.cli.test_commands import run
from tests.processes import first_commit, git
from tests.rounds import rounds

GOLDEN = Path(__file__).parent / "comment.md"
CATALOG = """apiVersion: predicat/v1
dataset: orders
description: Orders of a shop.
relation: {spark: orders, postgres: public.orders}
fields: {amount: bigint, country: string, note: string, score: double}
filters:
  large:
    description: Large orders.
    owner: sales@example.com
    sql: amount > 100
  large_domestic:
    description: Large orders from here.
    all: [large, domestic]
  domestic:
    cel: country == "DE"
  noted:
    sql: note IS NOT NULL
  fine:
    description: Well scored.
    sql: score >= 0.5
groups:
  kinds: {filters: [large, noted]}
subscriptions:
  desk: {filter: large, properties: {team: sales}}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose branch `change` starts at `main`."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    first_commit(tmp_path)
    git(tmp_path, "checkout", "-qb", "change")
    return tmp_path


def edit(folder: Path, *changes: tuple[str, str]) -> None:
    file = folder / "catalog" / "orders.yml"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def test_no_change_is_exit_code_0(repository: Path) -> None:
    done = run("diff", cwd=repository)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no filter differs" in done.stdout


def test_new_datasets_have_one_line_each(repository: Path) -> None:
    for name in ("one", "two"):
        filters = f"{{f_{name}: {{sql: a = 1}}, g: {{sql: a = 2}}}}"
        text = f"apiVersion: predicat/v1\ndataset: {name}\nrelation: {name}\nfields: {{a: bigint}}\n"
        (repository / "catalog" / f"{name}.yml").write_text(f"{text}filters: {filters}\n")
    done = run("diff", cwd=repository)
    assert done.stdout.endswith(
        "dataset one: added, with 2 filters: f_one, g\ndataset two: added, with 2 filters: f_two, g\n"
    )
    (repository / "catalog" / "one.yml").unlink()
    assert "  2 filters changed by it: 2 added\n" in run("diff", cwd=repository).stdout


def test_a_refactoring_is_exit_code_0(repository: Path) -> None:
    edit(repository, ("amount > 100", "amount >= 101"), ('cel: country == "DE"', "cel: '\"DE\" == country'"))
    done = run("diff", cwd=repository)
    assert done.returncode == 0, done.stdout
    assert "orders.large: equivalent" in done.stdout and "orders.domestic: equivalent" in done.stdout


def test_the_comment_of_a_pull_request(repository: Path) -> None:
    edit(
        repository,
        ("amount > 100", "amount >= 100"),
        ('country == "DE"', 'country == "DE" || country == "AT"'),
        ("  noted:\n    sql: note IS NOT NULL\n", ""),
        (", noted]", "]"),
        ("description: Well scored.", "description: Scored | well `so`"),
    )
    git(repository, "commit", "-qam", "second")
    done = run("diff", "main", "--format", "markdown", cwd=repository)
    assert (done.returncode, done.stderr) == (1, "")
    mark, commit = done.stdout.splitlines()[1], git(repository, "rev-parse", "HEAD").strip()
    assert re.fullmatch(f"<!-- predicat review of {commit}: [0-9a-f]{{64}} to [0-9a-f]{{64}} -->", mark)
    assert done.stdout.replace(f"{mark}\n", "") == GOLDEN.read_text()


def test_other_forms(repository: Path) -> None:
    edit(repository, ("amount > 100", "amount >= 100"))
    data = json.loads(run("diff", "--format", "json", cwd=repository).stdout)
    first = data["filters"][0]
    assert (first["name"], first["verdict"]["kind"]) == ("orders.large", "wider")
    assert first["verdict"]["witnesses"] == [
        {"shows": "gained", "row": {"amount": 100}, "params": {}, "before": "FALSE", "after": "TRUE"}
    ]
    assert first["affects"] == {
        "filters": ["orders.large_domestic"],
        "groups": ["orders.kinds"],
        "subscriptions": ["orders.desk"],
        "views": ["orders__large", "orders__large_domestic"],
    }
    assert run("diff", "--format", "github", cwd=repository).stdout.startswith(
        "::warning file=catalog/orders.yml,line=7,title=orders.large::wider"
    )
    log = json.loads(run("diff", "--format", "sarif", cwd=repository).stdout)
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 7


def test_what_refers_to_a_changed_filter_is_affected(repository: Path) -> None:
    edit(repository, ('country == "DE"', 'country == "DE" || country == "AT"'))
    data = json.loads(run("diff", "--format", "json", cwd=repository).stdout)
    assert {row["name"]: (row["status"], row["verdict"]["kind"]) for row in data["filters"]} == {
        "orders.domestic": ("changed", "wider"),
        "orders.large_domestic": ("affected", "wider"),
    }


def test_versions_and_unknown(repository: Path) -> None:
    edit(
        repository,
        (
            "    sql: amount > 100\n",
            (
                "    on_unknown: accept\n    latest: 2\n    versions:\n      1: {sql: amount > 100}\n      "
                "2: {sql: amount > 50}\n"
            ),
        ),
    )
    done = run("diff", cwd=repository)
    assert "orders.large: wider" in done.stdout
    assert "gained: {}: UNKNOWN (rejected) before, UNKNOWN (accepted) after" in done.stdout
    assert (
        "version 2 added: amount > 50" in done.stdout
        and "on_unknown changed: reject -> accept" in done.stdout
    )


def test_a_manifest_is_a_base_too(repository: Path) -> None:
    assert run("compile", cwd=repository).returncode == 0
    edit(repository, ("amount > 100", "amount > 200"))
    done = run("diff", "target/manifest.json", cwd=repository)
    assert (
        done.returncode == 1 and "orders.large: narrower" in done.stdout and "5 unchanged" not in done.stdout
    )
    (repository / "target" / "manifest.json").write_text('{"format": 1, "filters": [{}]}')
    assert "it has no predicates" in run("diff", "target/manifest.json", cwd=repository).stderr


@pytest.mark.parametrize(
    ("prepare", "args", "message"),
    [
        (lambda _: None, ("nosuch",), "git knows no revision 'nosuch'"),
        (
            lambda folder: git(folder, "update-ref", "refs/remotes/origin/only", "HEAD"),
            ("only...",),
            "git knows no revision 'only'\n  = hint: did you mean 'origin/only'?",
        ),
        (lambda _: None, ("--upload-pack=x",), "No such option"),
        (lambda folder: edit(folder, ("amount > 100", "amuont > 100")), (), "did you mean 'amount'"),
        (lambda folder: git(folder, "branch", "-m", "main", "old"), (), "no main branch"),
    ],
)
def test_wrong_use_is_exit_code_2(
    repository: Path, prepare: Callable[[Path], Any], args: tuple[str, ...], message: str
) -> None:
    prepare(repository)
    done = run("diff", *args, cwd=repository)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr


def test_a_broken_base_does_not_stop_the_review(repository: Path) -> None:
    edit(repository, ("amount > 100", "amount >> 100"))
    git(repository, "commit", "-qam", "broken")
    edit(repository, ("amount >> 100", "amount > 100"), ("score >= 0.5", "score > 0.5"))
    done = run("diff", "change", cwd=repository)
    assert (done.returncode, done.stderr) == (1, "")
    assert (
        "orders.fine: narrower" in done.stdout
        and "orders.large: not compared" in done.stdout
        and "3 not compared" in done.stdout
    )
    assert "it has problems in change" in done.stdout and "catalog/orders.yml:10:10: " in done.stdout


def test_a_base_that_is_no_yaml_does_not_stop_the_review(repository: Path) -> None:
    other = repository / "catalog" / "shops.yml"
    other.write_text("apiVersion: predicat/v1\ndataset: shops\nfields: {a: [\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "broken")
    other.write_text(
        "apiVersion: predicat/v1\ndataset: shops\nfields: {a: bigint}\nfilters:\n  one: {sql: a = 1}\n"
    )
    edit(repository, ("score >= 0.5", "score > 0.5"))
    done = run("diff", "change", cwd=repository)
    assert (done.returncode, done.stderr) == (1, "")
    assert (
        "orders.fine: narrower" in done.stdout
        and "catalog/shops.yml: not compared" in done.stdout
        and "shops.one" not in done.stdout
    )


@pytest.mark.parametrize("text", ["", "# all gone\n", "apiVersion: predicat/v1\ndataset: orders\n"])
def test_a_file_that_is_emptied_is_not_silent(repository: Path, text: str) -> None:
    (repository / "catalog" / "more.yml").write_text("apiVersion: predicat/v1\ndataset: more\n")
    (repository / "catalog" / "orders.yml").write_text(text)
    done = run("diff", cwd=repository)
    assert done.returncode == 1 and "5 removed" in done.stdout and "orders.large: removed" in done.stdout


def test_without_git(tmp_path: Path) -> None:
    run("init", cwd=tmp_path)
    done = run("diff", cwd=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_rows_of_real_data(repository: Path, spark: Any, postgres: Any) -> None:
    from predicat.catalog.load import read_definitions
    from predicat.review import postgres as counter
    from predicat.review.changes import review
    from predicat.review.questions import questions
    from predicat.review.snapshot import of_files
    from predicat_spark.differences import count_in

    before = of_files(read_definitions(repository / "catalog"), str)
    edit(repository, ("amount > 100", "amount BETWEEN 50 AND 150"))
    after = of_files(read_definitions(repository / "catalog"), str)
    found = review(before, after)
    rows = [(10,), (60,), (120,), (200,), (None,)]
    with postgres.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS public.orders CASCADE")
        cursor.execute("CREATE TABLE public.orders (amount bigint, country text)")
        cursor.executemany("INSERT INTO public.orders VALUES (%s, 'DE')", rows)
    on_postgres = counter.count_there(postgres, questions(found, "postgres"))
    frame = spark.createDataFrame([(row[0], "DE") for row in rows], "amount bigint, country string")
    on_spark = count_in(frame, questions(found, "spark"), "orders")
    for counted in (on_postgres, on_spark):
        large = counted["orders.large"]
        assert (large.total, large.before, large.after, large.gained, large.lost) == (5, 2, 2, 1, 1)
        assert (list(large.gained_rows), list(large.lost_rows)) == ([{"amount": 60}], [{"amount": 200}])
        assert counted["orders.large_domestic"].lost == 1


def test_the_rows_of_one_dataset_are_on_a_postgres_server(repository: Path, postgres: Any) -> None:
    edit(repository, ("amount > 100", "amount BETWEEN 50 AND 150"))
    postgres.execute("DROP TABLE IF EXISTS public.orders CASCADE")
    postgres.execute("CREATE TABLE public.orders (amount bigint, country text)")
    postgres.execute("INSERT INTO public.orders VALUES (10, 'DE'), (60, 'DE'), (200, 'DE')")
    info = postgres.info
    login = quote(info.user) + (f":{quote(info.password)}" if info.password else "")
    dsn = f"postgresql://{login}@/{info.dbname}?host={quote(info.host, safe='')}&port={info.port}"
    for source in (dsn, f"orders={dsn}"):
        done = run("diff", "--format", "json", "--data", source, cwd=repository)
        assert done.returncode == 1 and '"total": 3' in done.stdout, done.stderr
    done = run("diff", "--data", f"order={dsn}", cwd=repository)
    assert done.returncode == 2 and "no dataset 'order'" in done.stderr and "orders" in done.stderr


SHOP = {
    "catalog/orders.yml": """apiVersion: predicat/v1
dataset: orders
relation: {spark: orders, postgres: public.orders}
key: id
fields: {id: bigint, amount: bigint, price: "decimal(10,2)", country: string}
filters:
  first: {sql: "{{ recent('amount') }} AND country = 'DE'"}
  second: {cel: 'filter("first") || country == "AT"'}
  limited: {sql: "amount > {{ var('limit') }}"}
  priced: {sql: "price > 10.50 AND amount > :least", params: {least: {type: bigint, default: 100}}}
  uses: {sql: "matches_filter('priced') OR amount = 1"}
""",
    "catalog/shops.yml": """apiVersion: predicat/v1
dataset: shops
relation: {spark: shops}
fields: {id: bigint, open: boolean}
filters:
  opened: {sql: open}
  closed: {not: opened}
""",
    "catalog/variables.yml": "apiVersion: predicat/v1\ndataset: shared\nvars: {limit: 100}\n",
    "macros/time.sql": "{#- Recent. -#}\n{%- macro recent(x) -%}\n{{ x }} > 30\n{%- endmacro -%}\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with macros, variables in a file of their own, parameters and two datasets."""
    for name, text in SHOP.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    first_commit(tmp_path)
    return tmp_path


def reviewed(folder: Path, *edits: tuple[str, str, str]) -> dict[str, Any]:
    """The review of some edits, as data."""
    for name, old, new in edits:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))
    done = run("diff", "--format", "json", cwd=folder)
    assert done.stderr == "" and done.returncode in (0, 1)
    found = json.loads(done.stdout)
    assert done.returncode == found["changes_rows"]
    return {**found, "kinds": [(entry["kind"], entry["name"], entry["title"]) for entry in found["entries"]]}


def test_a_changed_default_is_judged_at_the_defaults_and_for_all_values(shop: Path) -> None:
    found = reviewed(shop, ("catalog/orders.yml", "default: 100", "default: 50"))
    (row,) = [row for row in found["filters"] if row["name"] == "orders.priced"]
    assert (row["at"], row["params"], row["verdict"]["kind"]) == ("defaults", ["least"], "wider")
    assert (
        row["verdict_for_all_values"]["kind"] == "equivalent"
        and row["title"] == "wider at the defaults (equivalent for all values)"
    )
    assert ("param-default", "orders.priced", "default of parameter least changed") in found["kinds"]
    assert ("rows", "orders.uses", "wider") in found["kinds"]


def test_a_new_parameter_with_the_old_constant_as_its_default_changes_no_rows(shop: Path) -> None:
    found = reviewed(
        shop,
        ("catalog/orders.yml", "10.50 AND amount > :least", ":price AND amount > :least"),
        ("catalog/orders.yml", "params: {", "params: {price: {type: 'decimal(10,2)', default: 10.5}, "),
    )
    assert not found["changes_rows"]
    assert [entry["after"] for entry in found["entries"] if entry["kind"] == "param"] == [
        "decimal(10,2), by default 10.5"
    ]


def test_a_renamed_filter_is_one_entry(shop: Path) -> None:
    found = reviewed(
        shop,
        ("catalog/orders.yml", "  priced:", "  dear:"),
        ("catalog/orders.yml", "matches_filter('priced')", "matches_filter('dear')"),
    )
    assert (
        found["kinds"][0] == ("filter-renamed", "orders.dear", "renamed, same rows")
        and not found["changes_rows"]
    )
    assert {kind for kind, name, _ in found["kinds"] if name == "orders.dear"} == {"filter-renamed"}
    assert {entry["name"]: entry["causes"] for entry in found["entries"] if entry["kind"] == "rows"} == {
        "orders.uses": [{"kind": "filter-renamed", "name": "orders.dear", "part": "name"}]
    }
    found = reviewed(shop, ("catalog/orders.yml", "price > 10.50", "price >= 10.51"))
    assert found["kinds"][0] == ("filter-renamed", "orders.dear", "renamed, same rows"), (
        "the meaning is proved, not the text compared"
    )


def test_a_renamed_dataset_is_one_entry(shop: Path) -> None:
    found = reviewed(shop, ("catalog/shops.yml", "dataset: shops", "dataset: stores"))
    assert found["kinds"] == [("dataset-renamed", "stores", "renamed, same rows")] and found["unchanged"] == 7
    found = reviewed(shop, ("catalog/shops.yml", "{sql: open}", "{sql: open AND id > 1}"))
    assert ("rows", "stores.opened", "narrower") in found["kinds"] and (
        "dataset-renamed",
        "stores",
        "renamed, same rows",
    ) in found["kinds"]


def test_a_moved_file_is_one_entry(shop: Path) -> None:
    (shop / "catalog/orders.yml").rename(shop / "catalog/sales.yml")
    found = reviewed(shop)
    moved = [entry for entry in found["entries"] if entry["kind"].startswith("file")]
    assert [(entry["kind"], entry["name"], entry["before"], entry["after"]) for entry in moved] == [
        ("file-moved", "catalog/orders.yml", "catalog/orders.yml", "catalog/sales.yml")
    ]
    assert found["unchanged"] == 7


@pytest.mark.parametrize(
    ("edit", "cause", "filters"),
    [
        (
            ("macros/time.sql", "> 30", ">= 30"),
            ("macro", "recent", "macros/time.sql", 2),
            ["orders.first", "orders.second"],
        ),
        (
            ("catalog/variables.yml", "limit: 100", "limit: 200"),
            ("variable", "limit", "catalog/variables.yml", 3),
            ["orders.limited"],
        ),
        (
            ("catalog/orders.yml", "id: bigint, amount: bigint", "id: bigint, amount: double"),
            ("field-type", "orders", "catalog/orders.yml", 5),
            ["orders.first", "orders.second", "orders.limited", "orders.priced", "orders.uses"],
        ),
        (
            ("catalog/orders.yml", "amount: bigint", "amount: {type: bigint, column: cents}"),
            ("column", "orders", "catalog/orders.yml", 5),
            ["orders.first", "orders.second", "orders.limited", "orders.priced", "orders.uses"],
        ),
    ],
)
def test_one_cause_with_the_filters_under_it(
    shop: Path, edit: tuple[str, str, str], cause: tuple[str, str, str, int], filters: list[str]
) -> None:
    found = reviewed(shop, edit)
    entry = next(entry for entry in found["entries"] if (entry["kind"], entry["name"]) == cause[:2])
    assert (entry["file"], entry["line"]) == cause[2:] and entry["filters"] == filters
    shown = run("diff", cwd=shop).stdout
    assert not [line for line in shown.splitlines() if line.startswith("orders.")], (
        "filters stand under their cause"
    )
    assert all(name in shown for name in filters)


def test_the_mode_of_spark_is_the_cause_of_what_it_changes(shop: Path) -> None:
    old, new = "first: {sql", 'cut: {spark: "CAST(price AS INT) > id + 1"}\n  first: {sql'
    (shop / "catalog/orders.yml").write_text(SHOP["catalog/orders.yml"].replace(old, new))
    git(shop, "commit", "-qam", "a condition of Spark")
    found = reviewed(shop, ("catalog/orders.yml", "key: id\n", "key: id\nspark: {ansi: false}\n"))
    entry = next(entry for entry in found["entries"] if entry["kind"] == "spark-ansi")
    assert (entry["line"], entry["filters"]) == (5, ["orders.cut"])
    assert found["changes_rows"]


def test_how_many_filters_are_as_they_were() -> None:
    for filters, unchanged, said in (
        (1, 0, "1 filter changed"),
        (4, 0, "4 filters changed"),
        (1, 1, "1 filter unchanged"),
        (59, 58, "58 of 59 filters unchanged"),
    ):
        assert of_unchanged(filters, unchanged) == said


def test_outside_of_a_repository_nothing_of_git_is_shown(tmp_path: Path) -> None:
    assert run("init", cwd=tmp_path).returncode == 0
    done = run("diff", cwd=tmp_path)
    assert done.returncode == 2
    assert f"error[usage]: {tmp_path / 'catalog'} is not in a git repository" in done.stderr
    assert "predicat diff target/manifest.json" in done.stderr
    for args in (("lint", "--changed"), ("discover", "catalog", "--against", "main")):
        done = run(*args, cwd=tmp_path)
        assert done.returncode == 2 and "is not in a git repository\n  = hint: git init" in done.stderr


def test_a_comment_is_formatting_only(shop: Path) -> None:
    found = reviewed(
        shop,
        ("macros/time.sql", "Recent.", "Late."),
        ("catalog/shops.yml", "{sql: open}", "{sql: 'open'}  # really"),
    )
    assert found["formatting_only"] and found["entries"] == []
    assert "formatting only, no filter differs; 7 of 7 filters unchanged" in run("diff", cwd=shop).stdout


def test_the_counts_are_of_the_whole_catalog(shop: Path) -> None:
    found = reviewed(shop, ("catalog/shops.yml", "{sql: open}", "{sql: open AND id > 1}"))
    assert (found["count"], found["unchanged"]) == (7, 5)
    run("compile", cwd=shop)
    assert "; 7 of 7 filters unchanged" in run("diff", "target/manifest.json", cwd=shop).stdout
    for flow in (
        "filters: {one: {sql: open}, two: {not: one}}",
        "filters:  # all\n\n  # a comment\n    one:\n      sql: open\n    two: {not: one}\ngroups: {}",
    ):
        (shop / "catalog" / "more.yml").write_text(
            f"apiVersion: predicat/v1\ndataset: more\nfields: {{open: boolean}}\n{flow}\n"
        )
        git(shop, "add", ".")
        git(shop, "commit", "-qm", "more", "--allow-empty")
        assert "9 of 9 filters unchanged" in run("diff", "HEAD", cwd=shop).stdout


def test_a_manifest_knows_everything_that_files_say(shop: Path) -> None:
    assert run("compile", cwd=shop).returncode == 0
    file = shop / "catalog" / "orders.yml"
    file.write_text(
        file.read_text().replace("default: 100", "default: 50").replace("key: id", "key: [id, country]")
    )
    (shop / "macros" / "time.sql").write_text(SHOP["macros/time.sql"].replace("> 30", ">= 30"))
    base, manifest = (
        json.loads(run("diff", *args, "--format", "json", cwd=shop).stdout)
        for args in ((), ("target/manifest.json",))
    )
    kinds = [
        [(entry["kind"], entry["name"], entry["before"], entry["after"]) for entry in found["entries"]]
        for found in (base, manifest)
    ]
    assert sorted(map(str, kinds[0])) == sorted(map(str, kinds[1])) and len(kinds[0]) > 5
    old = json.loads((shop / "target" / "manifest.json").read_text())
    del old["macros"], old["vars"]
    (shop / "target" / "manifest.json").write_text(json.dumps(old))
    assert (
        "the manifest was written by an earlier predicat"
        in run("diff", "target/manifest.json", cwd=shop).stdout
    )


def test_the_lock_the_project_file_and_the_place_of_a_filter(shop: Path) -> None:
    assert run("release", cwd=shop).returncode == 0
    *_, last = run("diff", "HEAD", cwd=shop).stdout.splitlines()
    assert last.startswith("recorded in the lock: orders.") and last.endswith(", shops.opened@1")
    git(shop, "add", ".")
    git(shop, "commit", "-qm", "released")
    (shop / "predicat.yml").write_text("catalog: shop\n")
    lock = shop / "catalog" / "catalog.lock"
    lock.write_text(
        "".join(line for line in lock.read_text().splitlines(keepends=True) if "shops.opened@1" not in line)
    )
    (shop / "catalog" / "shops.yml").write_text(
        SHOP["catalog/shops.yml"].replace("  closed: {not: opened}\n", "")
    )
    (shop / "catalog" / "more.yml").write_text(
        "apiVersion: predicat/v1\ndataset: shops\nfilters:\n  closed: {not: opened}\n"
    )
    done = run("diff", "HEAD", "--format", "json", cwd=shop)
    found = {
        (row["kind"], row["name"]): (row["title"], row["before"], row["after"])
        for row in json.loads(done.stdout)["entries"]
    }
    assert (
        found.keys() == {("lock", "shops.opened@1"), ("project", "catalog"), ("file", "shops.closed")}
        and done.returncode == 0
    )
    assert found["lock", "shops.opened@1"][0] == "removed from the lock" and "released 20" in str(
        found["lock", "shops.opened@1"][1]
    )
    assert found["project", "catalog"] == ("added", None, "shop")
    assert found["file", "shops.closed"] == ("file changed", "catalog/shops.yml", "catalog/more.yml")


def test_a_long_comment_leaves_out_whole_entries(tmp_path: Path) -> None:
    from predicat.review.comment import MAX_COMMENT, markdown
    from predicat.review.entries import Entry, Review
    from predicat.review.kinds import NOTE, WARNING
    from predicat.review.snapshot import empty

    tests = [
        Entry("test", f"orders.f{number}", WARNING, f"test {{note: {'x' * 250}}}", "matches true", None)
        for number in range(400)
    ]
    notes = [
        Entry("description", f"orders.f{number}", NOTE, "description", "a\nb", "a\n" + "`" * 90)
        for number in range(400)
    ]
    shown = markdown(Review("main", (*tests, *notes), 500, 100, (empty(), empty())), {})
    assert MAX_COMMENT - 1500 < len(shown) <= MAX_COMMENT
    assert shown.count("| `orders.f0` |") == 2 or "more changes" in shown
    assert "`predicat diff` shows them" in shown and shown.count("<details>") == shown.count("</details>")
    assert all(line.endswith("|") for line in shown.splitlines() if line.startswith("|"))


@pytest.mark.parametrize(
    ("texts", "spelling"),
    [
        (("5", "5.0", "5.00", "5E+0"), "5"),
        (("0.10", "0.1"), "0.1"),
        (("0.00001",), '"0.00001"'),
        (("12345678901234567890.10",), '"12345678901234567890.1"'),
        (("-0.00", "0"), "0"),
        (("100", "1E+2"), "100"),
    ],
)
def test_a_decimal_has_one_spelling(texts: tuple[str, ...], spelling: str) -> None:
    from decimal import Decimal

    from predicat.explain.prose import describe
    from predicat.explain.show import plain, row_text
    from predicat.ir.nodes import Literal
    from predicat.ir.types import DecimalType

    for text in rounds(texts, 1):
        assert row_text({"a": Decimal(text)}) == f"{{a: {spelling}}}"
        assert json.dumps(plain(Decimal(text))) == spelling
        assert describe(Literal(DecimalType(38, 10), Decimal(text))) == spelling.strip('"')


def test_samples_show_the_key(shop: Path) -> None:
    from predicat.catalog.load import read_definitions
    from predicat.review.changes import review
    from predicat.review.questions import questions
    from predicat.review.snapshot import of_files

    sides = []
    for text in ("sql: open", "sql: open AND id > 1"):
        file = shop / "catalog" / "shops.yml"
        file.write_text(
            SHOP["catalog/shops.yml"]
            .replace("sql: open", text)
            .replace(
                "fields: {id: bigint",
                "key: [number]\nfields: {id: bigint, number: {type: bigint, column: shop_no}",
            )
        )
        sides.append(of_files(read_definitions(shop / "catalog"), str))
    columns = {"shop_no": '"shop_no"', "open": '"open"', "id": '"id"'}
    assert {item.label: item.columns for item in questions(review(*sides), "postgres").asked} == {
        "shops.opened": columns,
        "shops.closed": columns,
    }


def test_a_key_names_fields(shop: Path) -> None:
    (shop / "catalog" / "shops.yml").write_text(
        SHOP["catalog/shops.yml"].replace("fields:", "key: [idd]\nfields:")
    )
    done = run("check", cwd=shop)
    assert (
        done.returncode != 0 and "did you mean 'id'" in done.stderr and "catalog/shops.yml:4:6" in done.stderr
    )
