"""The command line as a user has it: output, errors, exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import completed, in_process

ROOT = Path(__file__).parent.parent.parent
PROGRAM = Path(sys.executable).parent / "predicat"


def run(*args: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A command in this process, which has loaded the solver already."""
    return in_process(*args, cwd=cwd)


def started(*args: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A command as a user has it: the installed program, in a process of its own."""
    return completed([str(PROGRAM), *args], cwd=cwd, timeout=120)


def test_help_names_every_command() -> None:
    from predicat.cli.main import COMMANDS

    done = started("--help")
    assert done.returncode == 0
    for name, text in COMMANDS.items():
        assert name in done.stdout and text.split(",")[0].split(":")[0] in done.stdout
        assert run(name, "--help").returncode == 0


def test_check_accepts_the_reference_catalog() -> None:
    done = started("check")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("3 datasets, 59 filters in 60 versions, ")


def test_init_then_check(tmp_path: Path) -> None:
    assert started("init", cwd=tmp_path).returncode == 0
    done = started("check", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1 dataset, 3 filters in 3 versions, 3 tests passed\n")
    again = started("init", cwd=tmp_path)
    assert again.returncode == 2 and "already exists" in again.stderr


@pytest.mark.parametrize(
    ("selector", "option", "told"),
    [
        ("good_flight", "--standalone", True),
        ("good_flight", "--where", False),
        ("late", "--standalone", False),
    ],
)
def test_a_terminal_hears_of_shorter_conditions(selector: str, option: str, told: bool) -> None:
    terminal, end = os.openpty()
    command = [sys.executable, "-m", "predicat", "sql", selector, "--dialect", "postgres", option]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=end, text=True, cwd=ROOT, check=True)
    os.write(end, b".")
    shown = os.read(terminal, 1000).decode()
    os.close(end)
    os.close(terminal)
    assert "note" not in done.stdout
    assert ("--where prints a shorter condition" in shown) is told


def test_sql() -> None:
    assert run("sql", "late_united").stdout == "carrier = 'UA' AND dep_delay >= 60\n"
    assert run("sql", "flights.long_delay@1", "--dialect", "postgres").stdout == "dep_delay > 30\n"
    done = started("sql", "long_dely")
    assert done.returncode == 2 and "did you mean 'long_delay'" in done.stderr
    assert "no SQL dialect is named 'sparc'" in run("sql", "late", "--dialect", "sparc").stderr


def test_compile_writes_all_and_removes_what_is_gone(tmp_path: Path) -> None:
    run("init", cwd=tmp_path)
    (tmp_path / "target" / "sql" / "spark" / "customers").mkdir(parents=True)
    (tmp_path / "target" / "sql" / "spark" / "customers" / "gone.sql").write_text("x")
    assert run("compile", cwd=tmp_path).returncode == 0
    manifest = json.loads((tmp_path / "target" / "manifest.json").read_text())
    assert [row["name"] for row in manifest["filters"]] == [
        "customers.active",
        "customers.european",
        "customers.active_european",
    ]
    names = sorted(str(path.relative_to(tmp_path)) for path in (tmp_path / "target" / "sql").rglob("*.sql"))
    assert names == [f"target/sql/{dialect}/customers.sql" for dialect in ("postgres", "spark")]
    file = tmp_path / "catalog" / "customers.yml"
    file.write_text(
        file.read_text().replace(
            "relation: {spark: customers, postgres: public.customers}", "relation: customers"
        )
    )
    assert run("compile", cwd=tmp_path).returncode == 0
    assert (tmp_path / "target" / "sql" / "duckdb" / "customers.sql").exists()


def test_an_unchanged_catalog_is_not_compiled_again(tmp_path: Path) -> None:
    run("init", cwd=tmp_path)
    manifest, sql = (
        tmp_path / "target" / "manifest.json",
        tmp_path / "target" / "sql" / "spark" / "customers.sql",
    )
    assert "unchanged" not in run("compile", cwd=tmp_path).stdout
    written, text = manifest.read_text(), sql.read_text()
    assert run("compile", cwd=tmp_path).stdout == "target/manifest.json: 3 filter versions, unchanged\n"
    for damage in (
        lambda: sql.write_text("x"),
        sql.unlink,
        manifest.unlink,
        lambda: manifest.write_text(written[:-9]),
    ):
        damage()
        assert "unchanged" not in run("compile", cwd=tmp_path).stdout
        assert (manifest.read_text(), sql.read_text()) == (written, text)
    assert "unchanged" not in run("compile", "--force", cwd=tmp_path).stdout
    assert "unchanged" not in run("compile", "--var", "x=1", cwd=tmp_path).stdout
    file = tmp_path / "catalog" / "customers.yml"
    file.write_text(file.read_text() + "# more\n")
    assert "unchanged" not in run("compile", "--var", "x=1", cwd=tmp_path).stdout


def test_a_failed_compile_leaves_the_manifest(tmp_path: Path) -> None:
    run("init", cwd=tmp_path)
    run("compile", cwd=tmp_path)
    before = (tmp_path / "target" / "manifest.json").read_text()
    file = tmp_path / "catalog" / "customers.yml"
    file.write_text(file.read_text().replace("orders > 0", "ordrs > 0"))
    done = run("compile", cwd=tmp_path)
    assert done.returncode == 1
    assert (
        "catalog/customers.yml:" in done.stderr
        and "did you mean 'orders'" in done.stderr
        and "Traceback" not in done.stderr
    )
    assert (tmp_path / "target" / "manifest.json").read_text() == before


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (("chekc",), 2, "did you mean 'check'"),
        (("check", "--catalog", "nowhere"), 2, "there is no folder nowhere"),
        (("check", "--var", "x"), 2, "NAME=VALUE"),
        (("apply", "--dsn", "postgresql://127.0.0.1:1/x"), 3, "cannot connect to PostgreSQL"),
        (("run", "flihgts", "--input", "x.parquet"), 2, "did you mean 'flights'"),
        (("run", "flights", "lat", "--input", "x.parquet"), 2, "did you mean 'flights.late'?"),
    ],
)
def test_wrong_use(args: tuple[str, ...], code: int, text: str) -> None:
    done = run(*args)
    assert done.returncode == code
    assert text in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("compile", "--target", "file"),
        ("docs", "build", "--out", "file"),
        ("export", "dbt", "--out", "file/x"),
        ("init", "file"),
        ("owners", "--out", "file/x"),
        ("spark", "jar", "--out", "file/x"),
        ("apply", "--data", "file/x/y"),
    ],
    ids=" ".join,
)
def test_an_output_that_cannot_be_written_is_told(tmp_path: Path, args: tuple[str, ...]) -> None:
    run("init", cwd=tmp_path)
    (tmp_path / "file").touch()
    done = run(*args, cwd=tmp_path)
    assert done.returncode in (1, 2, 3)
    assert "file" in done.stderr and done.stderr.endswith("1 problem\n") and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("path", "target", "said"),
    [
        ("catalog/more.yml", "nowhere", "cannot read catalog/more.yml: it is a broken link"),
        ("macros/more.sql", "nowhere", "cannot read macros/more.sql: No such file"),
        ("macros/more.sql", ".", "cannot read macros/more.sql: Is a directory"),
        ("macros/more.sql", b"\xff", "cannot read macros/more.sql: it is not valid UTF-8 at byte 0"),
        (
            "macros/more.sql",
            b"{{ 1 / 0 }}",
            "cannot be rendered: division by zero\n  --> macros/more.sql:1:1",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_told_once(
    tmp_path: Path, path: str, target: str | bytes, said: str
) -> None:
    run("init", cwd=tmp_path)
    (
        tmp_path / "catalog" / "two.yml"
    ).write_text("""{apiVersion: predicat/v1, dataset: two, fields: {a: bigint},
      filters: {one: {sql: "a > {{ var('x', 1) }}"}, other: {sql: "a < {{ var('x', 1) }}"}}}""")
    for lock in (tmp_path / "catalog" / ".#two.yml", tmp_path / "macros" / ".#macros.sql"):
        lock.symlink_to("someone@somewhere.1:2")  # as Emacs does
    assert run("check", cwd=tmp_path).returncode == 0
    if isinstance(target, bytes):
        (tmp_path / path).write_bytes(target)
    else:
        (tmp_path / path).symlink_to(target)
    done = run("check", cwd=tmp_path)
    assert done.returncode == 1
    assert said in done.stderr and done.stderr.endswith("\n1 problem\n")


def test_the_schema_is_checked_in_and_fits_the_catalog() -> None:
    import jsonschema
    import yaml

    schema = json.loads(run("schema").stdout)
    assert schema == json.loads((ROOT / "docs" / "catalog.schema.json").read_text()), "make schema"
    for path in (ROOT / "catalog").glob("*.yml"):
        jsonschema.validate(json.loads(json.dumps(yaml.safe_load(path.read_text()), default=str)), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(
            {"apiVersion": "predicat/v1", "dataset": "d", "filters": {"f": {"sqll": "x"}}}, schema
        )


@pytest.mark.parametrize(
    ("data", "fits"),
    [
        ({"id": "bigint", "name": {"type": "string", "nulls": "value"}}, True),
        ({"include": "string", "at": "timestamp"}, True),
        (["EV", "MQ", 7], True),
        ({"apiVersion": "predicat/v1", "dataset": "d", "fields": {"include": ["common.yml"]}}, True),
        ({"id": {"typ": "bigint"}}, False),
        ([{"id": "bigint"}], False),
        ({"apiVersion": "predicat/v1", "fields": {"id": "bigint"}}, False),
        ({}, False),
    ],
)
def test_the_schema_of_files_that_definitions_name(data: object, fits: bool) -> None:
    import jsonschema

    schema = json.loads((ROOT / "docs" / "catalog.schema.json").read_text())
    assert jsonschema.Draft202012Validator(schema).is_valid(data) is fits


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("catalog: shop", True),
        ("catalog: {name: shop, path: filters}\nengines: [spark]\ndiscover: {dialect: snowflake}", True),
        ("profile: dev\nprofiles: {dev: {engine: postgres, dsn: '${DSN}', vars: {limit: 3}}}", True),
        ("catalog: {nam: shop}", False),
        ("catalog: a shop", False),
        ("engines: [oracle]", False),
        ("profiles: {dev: {dns: x}}", False),
    ],
)
def test_the_schema_of_the_project_file(text: str, fits: bool) -> None:
    import jsonschema
    import yaml

    shown = run("schema", "--project").stdout
    assert shown == (ROOT / "docs" / "project.schema.json").read_text(), "make schema"
    problems = list(jsonschema.Draft202012Validator(json.loads(shown)).iter_errors(yaml.safe_load(text)))
    assert (not problems) == fits, problems


@pytest.mark.parametrize(
    ("args", "given", "expected"),
    [
        (
            ["--from", "attributes", "--to", "cel", "--field", "ce=map<string, string>", "--on", "ce"],
            "type: a\nx.y: b\n",
            'ce.type == "a" && ce["x.y"] == "b"\n',
        ),
        (
            ["--from", "attributes", "--to", "cel"],
            "type: a\nx.y: b\n",
            'ce.type == "a" && ce["x.y"] == "b"\n',
        ),
        (["--from", "headers", "--to", "sns"], "headerEquals: {type: a}", '{"type": ["a"]}\n'),
        (["--from", "cel", "--to", "labels"], 'tier == "web" && !(env in ["a", "b"])', "predicat: error"),
        (
            ["--from", "labels", "--to", "sns", "--field", "m=map<string, string>", "--on", "m"],
            "env in (a, b), tier",
            '{"env": ["a", "b"], "tier": [{"exists": true}]}\n',
        ),
        (
            ["--from", "sql", "--to", "duckdb", "--field", "a=bigint"],
            "a + 1 > 2",
            "TRY(CAST(a AS BIGINT) + 1) > 2\n",
        ),
        (
            ["--from", "spark", "--no-ansi", "--to", "cel", "--field", "s=string"],
            "s IN (1, 2)",
            's in ["1", "2"]\n',
        ),
    ],
)
def test_translate(args: list[str], given: str, expected: str) -> None:
    done = completed([str(PROGRAM), "translate", *args], input=given, cwd=ROOT, timeout=60)
    if expected == "predicat: error":
        assert (
            done.returncode == 1
            and "error[unsupported]: labels does not support" in done.stderr
            and "Traceback" not in done.stderr
        )
    else:
        assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_only_spark_has_a_mode(tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_text("a == 1")
    done = run("translate", "--from", "cel", "--no-ansi", "--to", "sql", str(tmp_path / "f.txt"))
    assert "--no-ansi is for conditions of spark, not of cel" in done.stderr


def test_translate_reads_files_and_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "f.yml").write_text("headerIn:\n  a: [x]\n  b: [y]\n")
    done = run("translate", "--from", "headers", "--to", "cel", str(tmp_path / "f.yml"))
    assert (
        done.returncode == 1
        and "f.yml:2:3" in done.stderr
        and "it must test one header, not 2" in done.stderr
    )
    assert (
        "there is no file" in run("translate", "--from", "cel", "--to", "sql", str(tmp_path / "none")).stderr
    )
    assert (
        "did you mean 'cel'"
        in run("translate", "--from", "cell", "--to", "cel", str(tmp_path / "f.yml")).stderr
    )
    assert run("translate", "--from", "cel", "--to", "cel", "--field", "a").returncode == 2


def test_every_command_and_exit_code_is_documented() -> None:
    from predicat.cli.exit_codes import MEANINGS
    from predicat.cli.main import COMMANDS

    page = (ROOT / "docs" / "commands.md").read_text()
    assert [name for name in COMMANDS if f"| `{name}` |" not in page] == [], "add a row to docs/commands.md"
    documented = [
        line.split("|")[1:3] for line in page.splitlines() if line.startswith("| ") and line[2].isdigit()
    ]
    assert [(int(code), text.strip().rstrip(".").lower()) for code, text in documented] == [
        (code.value, text.lower()) for code, text in MEANINGS.items()
    ]
