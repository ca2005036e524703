"""The documents: Python is run, YAML is checked, console sessions of predicat are replayed, links lead
somewhere.
"""

import doctest
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import predicat
from tests.processes import completed, first_commit, in_process, spark_environment

ROOT = Path(__file__).parent.parent
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "catalog", tmp_path / "catalog")
    shutil.copytree(ROOT / "macros", tmp_path / "macros")
    return tmp_path


# Pages whose Python starts a Spark of its own, beside README.md and spark.md: 10 s each.
WITH_SPARK = ("entry_filters.md", "matching.md", "pipeline.md", "seek.md")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.name in WITH_SPARK else [])
        for path in DOCS
        if blocks(path, "python")
    ],
    ids=lambda path: path.name,
)
def test_python_runs(path: Path, workplace: Path) -> None:
    script = "import predicat_spark\npredicat_spark.ensure_java()\n" + "\n".join(blocks(path, "python"))
    done = completed(
        [sys.executable, "-W", "error::SyntaxWarning", "-c", script],
        cwd=workplace,
        timeout=300,
        env=spark_environment(),
    )
    assert done.returncode == 0, done.stderr[-3000:]
    if path.name == "README.md":
        assert (
            done.stdout.splitlines()[0] == "True"
            and "['a', 3.5]" in done.stdout
            and "events@example.com" in done.stdout
        )


def test_the_catalog_of_the_readme(tmp_path: Path) -> None:
    (example,) = blocks(ROOT / "README.md", "yaml")
    (tmp_path / "flights.yml").write_text(example)
    assert predicat.load_catalog(tmp_path)["late_united"].sql("spark") in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_yaml_can_be_read(path: Path) -> None:
    assert all(isinstance(yaml.safe_load(block), dict) for block in blocks(path, "yaml"))


def test_the_review_of_the_readme(workplace: Path) -> None:
    first_commit(workplace)
    file = workplace / "catalog" / "flights.yml"
    file.write_text(file.read_text().replace("sql: dep_delay < 0\n", "sql: dep_delay <= 0\n"))
    (shown,) = [block for block in blocks(ROOT / "README.md", "console") if "predicat diff" in block]
    done = completed([Path(sys.executable).parent / "predicat", "diff", "main"], cwd=workplace)
    assert shown == f"$ predicat diff main\n{done.stdout}"


def test_the_console_of_the_review_guide(workplace: Path) -> None:
    count = 0
    for block in blocks(ROOT / "docs" / "review.md", "console"):
        command, _, output = block.partition("\n")
        done = completed(
            [Path(sys.executable).parent / "predicat", *shlex.split(command.removeprefix("$ predicat "))],
            cwd=workplace,
            timeout=60,
        )
        assert done.stdout == output, command
        count += 1
    assert count == 2


def edited(file: Path, change: str) -> None:
    """Write the filters of a page into a catalog file, where they have other bodies."""
    data = yaml.safe_load(file.read_text())
    for name, keys in yaml.safe_load(change)["filters"].items():
        kept = {
            key: value for key, value in data["filters"][name].items() if key not in ("sql", "params", "all")
        }
        data["filters"][name] = {**kept, **keys}
    file.write_text(yaml.safe_dump(data, sort_keys=False))


@pytest.mark.parametrize("place", [".", "reports/daily"])
def test_the_steps_of_the_tutorial(tmp_path: Path, place: str) -> None:
    """In the order of the page: files are written, and each `$ predicat` command prints what is shown, in the
    folder of the project and below it.
    """
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    dataset = tmp_path / "catalog" / "orders.yml"
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    prefix = "" if place == "." else "../" * (place.count("/") + 1)
    count = 0

    def predicat_(*args: str) -> subprocess.CompletedProcess[str]:
        folder = tmp_path if args[0] == "init" else tmp_path / place
        done = in_process(*args, cwd=folder)
        done.stdout, done.stderr = (
            text.replace(prefix + "catalog", "catalog").replace(prefix + "target", "target")
            for text in (done.stdout, done.stderr)
        )
        return done

    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if language == "csv":
            (tmp_path / "orders.csv").write_text(block)
        elif language == "yaml" and block.startswith("apiVersion"):
            assert block.partition("filters:")[0] == dataset.read_text().partition("filters:")[0]
            dataset.write_text(block)
        elif language == "yaml":
            edited(dataset, block)
        elif language == "text":
            right = dataset.read_text()
            before, after = (
                ("default: 10}", "default: 12}") if "released" in block else ("amount >", "amout >")
            )
            assert before in right
            dataset.write_text(right.replace(before, after))
            shown = re.sub(
                r"released on \d{4}-\d\d-\d\d", "released on 2026-01-31", predicat_("check").stderr
            )
            assert block.strip() in shown
            dataset.write_text(right)
        for step, output in re.findall(r"^\$ (predicat .*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            assert predicat_(*shlex.split(step)[1:]).stdout == output, step
            count += 1
    assert count == 11


def test_the_catalogs_of_the_page_about_catalogs(tmp_path: Path) -> None:
    """Each passes its tests."""
    found = [
        block for block in blocks(ROOT / "docs" / "catalog.md", "yaml") if block.startswith("apiVersion")
    ]
    for number, block in enumerate(found):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "page.yml").write_text(block, encoding="utf-8")
        done = in_process("check", "--catalog", str(number), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert found


SOURCES = {
    "csv": "COPY orders TO '{folder}/orders.csv'",
    "parquet": "COPY orders TO '{folder}/orders.parquet' (FORMAT parquet)",
}


def three_minutes(folder: Path, place: str, *source: str) -> None:
    """Each command of the page ends with 0 and without options; `source` is what `init --from` reads."""
    wanted = "predicat init --from orders.csv"
    (block,) = [block for block in blocks(ROOT / "README.md", "sh") if wanted in block]
    (folder / place).mkdir(exist_ok=True)
    shown = {}
    for program, *args in (shlex.split(line, comments=True) for line in block.splitlines()):
        if program == "predicat":
            made = args[0] == "init"
            words = [*args[:-1], *source] if made else args
            done = in_process(*words, cwd=folder if made else folder / place)
            assert done.returncode == 0, (words, done.stdout, done.stderr)
            shown[" ".join(args[:2])] = done.stdout
    assert "13" in shown["quality run"] and "65.00%" in shown["quality run"]
    assert "at_least" in shown["quality suggest"]
    assert not any(option in block for option in ("--engine", "--dsn", "--catalog"))


@pytest.mark.parametrize("place", [".", "reports"])
@pytest.mark.parametrize("source", SOURCES)
def test_the_three_minutes_of_the_readme(source: str, place: str, tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect() as session:
        session.execute("CREATE TABLE orders AS SELECT n AS id, n * 1.5 AS amount FROM range(20) r(n)")
        session.execute(SOURCES[source].format(folder=tmp_path))
    three_minutes(tmp_path, place, f"orders.{source}")


@pytest.mark.parametrize("place", [".", "reports"])
def test_the_three_minutes_on_postgres(postgres: Any, place: str, tmp_path: Path) -> None:
    postgres.execute("DROP TABLE IF EXISTS public.readme_orders")
    postgres.execute(
        "CREATE TABLE public.readme_orders AS "
        "SELECT n::bigint AS id, n * 1.5::float8 AS amount FROM generate_series(0, 19) n"
    )
    three_minutes(tmp_path, place, "public.readme_orders", "--dsn", postgres.info.dsn, "--dataset", "orders")


def test_the_examples_of_the_languages_page() -> None:
    rows = {
        "pip": (
            {"properties": "map<string, string>", "event_time": "timestamp"},
            {"properties": {"region": "EU", "trace": "job"}, "event_time": "2025-06-01"},
        ),
        "headers": (
            {"properties": "map<string, string>"},
            {"properties": {"type": "order", "region": "EU", "customer": "vip-7"}},
        ),
        "cloudevents": (
            {"properties": "map<string, string>"},
            {"properties": {"type": "com.shop.order", "source": "/a"}},
        ),
        "sns": (
            {"properties": "json"},
            {"properties": {"event": "order_paid", "price": 150}},
        ),
        "servicebus": (
            {"properties": "json", "label": "string"},
            {"properties": {"amount": 101}, "label": "order"},
        ),
    }
    of_filters = {"type": "string", "amount": "bigint", "routing_key": "string"} | dict.fromkeys(
        ("attributes", "labels", "headers"), "map<string, string>"
    )
    row_of_filters = {
        "type": "order",
        "amount": 101,
        "routing_key": "db.error.disk",
        "attributes": {"country": "de", "type": "order.new"},
        "labels": {"app": "web"},
        "headers": {"trace": "1"},
    }
    seen = set[str]()
    for block in blocks(ROOT / "docs" / "languages.md", "yaml"):
        ((language, body),) = yaml.safe_load(block).items()
        if language == "filters":
            for ((name, text),) in (one.items() for one in body.values()):
                keys = {"pubsub": "attributes", "labels": "labels", "kafka": "headers"}.get(name)
                filter_ = predicat.parse(text, name, of_filters, on=keys)
                assert filter_.evaluate(row_of_filters) is True
                seen.add(name)
        if language in rows:
            fields, row = rows[language]
            assert predicat.parse(body, language, fields, on="properties").evaluate(row) is True
            seen.add(language)
    assert seen == {*rows, "sql", "cel", "jms", "eventbridge", "pubsub", "rabbitmq", "labels", "kafka"}


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links(path: Path) -> None:
    targets = re.findall(r"(?:\]\(|<img src=\")([^)#\"]+)[)\"]", path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_picture_of_the_architecture_is_that_of_the_imports() -> None:
    from tools import architecture

    assert architecture.document(ARCHITECTURE) == ARCHITECTURE, "run: python -m tools.architecture"


def test_every_room_has_a_paragraph() -> None:
    from tools import architecture

    paragraphs = " ".join(re.findall(r"\*\*(.+?)\*\*", ARCHITECTURE)).replace(".py.", ".py")
    assert [room for room in architecture.edges() if room not in paragraphs] == []


def test_no_files_import_each_other() -> None:
    """Neither directly nor by way of others, not even for types."""
    from tools import architecture

    assert architecture.circles() == []


def test_the_representations_of_the_architecture_exist() -> None:
    names = re.findall(r"`(predicat\.[\w.]+)`", ARCHITECTURE)
    assert len(names) > 20
    for name in names:
        pkgutil.resolve_name(name)


def test_every_file_that_contributing_names_exists_or_is_new() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    new = set(re.findall(r"`([\w/.]+)` \(new\)", text))
    assert all("/" in path and not exists(path) for path in new)
    assert [path for path in set(paths(text)) - new if not exists(path)] == []


def test_every_path_of_the_architecture_exists() -> None:
    assert [path for path in paths(ARCHITECTURE) if not exists(path)] == []


def paths(text: str) -> list[str]:
    """The paths in quotes with a folder: of the repository, or of the package."""
    return re.findall(r"`([a-z_]+/[\w/.]+)`", text)


def exists(path: str) -> bool:
    return (ROOT / path).exists() or (ROOT / "compiler" / "predicat" / path).exists()


def test_the_examples_in_docstrings() -> None:
    """`matcher` has the first one; a file with `>>>` is looked at whole."""
    package = Path(predicat.__file__).parent
    files = [
        file for file in package.rglob("*.py") if re.search(r"^ +>>> ", file.read_text("utf-8"), re.MULTILINE)
    ]
    assert files
    for file in files:
        name = ".".join(("predicat", *file.relative_to(package).with_suffix("").parts))
        result = doctest.testmod(pkgutil.resolve_name(name))
        assert result.attempted
        assert not result.failed, name


def test_the_support_matrix_is_up_to_date() -> None:
    from tests import support

    assert support.FILE.read_text(encoding="utf-8") == support.document(), "run: python -m tests.support"
    assert support.FUNCTIONS.read_text(encoding="utf-8") == support.functions(), (
        "run: python -m tests.support"
    )
