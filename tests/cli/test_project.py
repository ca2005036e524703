"""The project file as commands use it: found from a subfolder, defaults that flags override, profiles."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import first_commit, git, in_process

PROJECT = """\
catalog: {name: shop, path: filters}
engines: [postgres, duckdb]
profile: dev
profiles:
  dev:
    engine: duckdb
    dsn: ${SHOP_DEV_DSN}
    vars: {least: 5}
  prod:
    dsn: postgresql://reader@127.0.0.1:1/shop?application_name=${SHOP_NAME}
    schema: marts
    vars: {least: 500}
"""
SHOP = """\
apiVersion: predicat/v1
dataset: shop
fields: {amount: bigint}
filters:
  big:
    sql: "CAST(amount AS STRING) LIKE '%1' OR amount > {{ var('least', 1) }}"
    tests: [{row: {amount: 501}, matches: true}]
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("SHOP_DEV_DSN", "SHOP_NAME", "PREDICAT_PROFILE", "PGHOST", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".git").mkdir()
    (tmp_path / "filters").mkdir()
    (tmp_path / "etl" / "jobs").mkdir(parents=True)
    (tmp_path / "filters" / "shop.yml").write_text(SHOP)
    (tmp_path / "predicat.yml").write_text(PROJECT)
    return tmp_path


@pytest.mark.parametrize("place", [".", "etl/jobs", "filters"])
def test_the_catalog_is_found_from_a_subfolder(shop: Path, place: str) -> None:
    done = in_process("list", "--names", cwd=shop / place)
    assert (done.returncode, done.stdout) == (0, "shop.big\n"), done.stderr
    done = in_process("compile", cwd=shop / place)
    assert done.returncode == 0, done.stderr
    assert (shop / "target" / "manifest.json").exists()


def test_what_the_project_sets_is_a_default(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "> 5" in in_process("sql", "big", cwd=shop).stdout
    assert "COALESCE" not in in_process("sql", "big", cwd=shop).stdout
    assert "> 500" in in_process("sql", "big", "--profile", "prod", cwd=shop).stdout
    assert "> 7" in in_process("sql", "big", "--profile", "prod", "--var", "least=7", cwd=shop).stdout
    assert "AS TEXT)" in in_process("sql", "big", cwd=shop).stdout  # DuckDB, of the profile
    assert "AS STRING)" in in_process("sql", "big", "--dialect", "spark", cwd=shop).stdout
    monkeypatch.setenv("PREDICAT_PROFILE", "prod")
    assert "> 500" in in_process("sql", "big", cwd=shop).stdout
    (shop / "other").mkdir()
    (shop / "other" / "shop.yml").write_text(SHOP.replace("big", "small"))
    assert in_process("list", "--names", "--catalog", "other", cwd=shop).stdout == "shop.small\n"


def test_the_address_of_a_server_is_completed_when_it_is_needed(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert in_process("test", cwd=shop).stdout == "1 passed, 0 failed on evaluator\n"
    done = in_process("test", "--engine", "postgres", cwd=shop)
    assert done.returncode == 2
    assert "the environment variable SHOP_DEV_DSN is not set" in done.stderr
    monkeypatch.setenv("SHOP_NAME", "x")
    done = in_process("test", "--engine", "postgres", "--profile", "prod", cwd=shop)
    assert done.returncode == 3
    assert "cannot connect to PostgreSQL" in done.stderr
    assert "1 passed" in in_process("test", "--engine", "duckdb", cwd=shop).stdout


def test_help_shows_what_the_project_sets(shop: Path) -> None:
    assert "[default: filters]" in in_process("check", "--help", cwd=shop).stdout
    below = in_process("check", "--help", cwd=shop / "etl" / "jobs").stdout
    assert "[default: ../../filters]" in " ".join(below.split())
    (shop / "predicat.yml").write_text("profile: [\n")
    assert "[default: catalog]" in in_process("check", "--help", cwd=shop).stdout


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("profile: dev", "profile: dve", "predicat.yml has no profile 'dve'\n  --> predicat.yml:3:10"),
        ("engine: duckdb", "engine: duckdbb", "no engine is named 'duckdbb'"),
        ("[postgres", "[postgress", "did you mean 'postgres'?"),
        ("    dsn: ${", "    dns: ${", "the profile 'dev' has no key 'dns'"),
        ("path: filters", "pth: filters", "has no key 'pth'"),
        ("name: shop", "name: s p", "'s p' is not a valid name of a catalog"),
        ("path: filters", "path: filter", "there is no folder filter\n  --> predicat.yml:1:29"),
        ("${SHOP_DEV_DSN}", "$SHOP_DEV_DSN", "write ${SHOP_DEV_DSN} for an environment variable"),
        ("${SHOP_DEV_DSN}", "${env:DSN}", "${env:DSN} is not replaced\n  --> predicat.yml:7:10"),
        ("${SHOP_DEV_DSN}", "${DSN:-x}", "write ${DSN} for an environment variable"),
        ("${SHOP_DEV_DSN}", "\"{{ env_var('DSN') }}\"", "write ${DSN} for an environment variable"),
    ],
)
def test_a_wrong_project_file(shop: Path, old: str, new: str, said: str) -> None:
    (shop / "predicat.yml").write_text(PROJECT.replace(old, new))
    done = in_process("check", cwd=shop)
    assert done.returncode != 0
    assert said in done.stderr and "Traceback" not in done.stderr


def test_a_wrong_kind_is_one_problem(shop: Path) -> None:
    (shop / "predicat.yml").write_text("catalog: {path: filters}\nprofile: dev\nprofiles: [dev, prod]\n")
    assert in_process("check", cwd=shop).stderr.endswith("\n1 problem\n")
    (shop / "predicat.yml").write_text("catalog: {path: filters}\nprofile: [dev]\nprofiles: {dev: }\n")
    assert "profile must be a string, not a list" in (done := in_process("check", cwd=shop)).stderr
    assert done.stderr.endswith("\n1 problem\n")


def test_an_empty_address_is_none(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DEV_DSN", "")  # not the server that libpq finds by itself
    done = in_process("apply", "--dry-run", cwd=shop)
    assert done.returncode == 2 and "the environment variable SHOP_DEV_DSN is empty" in done.stderr


def test_a_project_file_that_would_be_overlooked(shop: Path) -> None:
    (shop / "predicat.yml").rename(shop / "predicat.yaml")
    done = in_process("list", cwd=shop / "etl")
    assert done.returncode == 2 and "must be called predicat.yml\n  = hint: rename it" in done.stderr


def test_a_catalog_above_without_a_project_file(shop: Path) -> None:
    (shop / "predicat.yml").unlink()
    (shop / "filters").rename(shop / "catalog")
    done = in_process("list", cwd=shop / "etl" / "jobs")
    assert done.returncode == 2 and "there is ../../catalog: write --catalog ../../catalog, or" in done.stderr
    (shop / "predicat.yml").write_text("")
    assert in_process("list", "--names", cwd=shop / "etl" / "jobs").stdout == "shop.big\n"


def test_a_profile_that_there_is_not(shop: Path) -> None:
    done = in_process("check", "--profile", "production", cwd=shop)
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no profile 'production'\n  = hint: known are dev, prod" in done.stderr
    (shop / "predicat.yml").unlink()
    assert "predicat.yml has no profile 'dev'" in in_process("check", "--profile", "dev", cwd=shop).stderr


def test_completion(shop: Path) -> None:
    def completed(*words: str) -> list[str]:
        program = Path(sys.executable).parent / "predicat"
        done = subprocess.run(
            [program],
            cwd=shop / "etl",
            env={
                "_PREDICAT_COMPLETE": "bash_complete",
                "COMP_WORDS": " ".join(("predicat", *words)),
                "COMP_CWORD": str(len(words)),
                "PATH": str(program.parent),
                "PYTHONPATH": ":".join(sys.path),
            },
            capture_output=True,
            text=True,
            check=True,
        )
        return [line.removeprefix("plain,") for line in done.stdout.splitlines()]

    assert completed("test", "sh") == ["shop.big", "shop"]
    assert completed("test", "+b") == ["+big"]
    assert completed("list", "state:") == ["state:changed", "state:new", "state:deprecated"]
    assert completed("comp") == ["compile", "completion"]
    for shell in ("bash", "zsh", "fish"):
        assert "_PREDICAT_COMPLETE" in in_process("completion", shell, cwd=shop).stdout


STRANGER = PROJECT.replace("vars: {least: 5}", 'vars: {least: "${SECRET}"}')


@pytest.fixture
def foreign(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a branch whose project file reads a variable that the one of main does not name."""
    (shop / ".git").rmdir()
    (shop / "predicat.yml").write_text(
        PROJECT.replace("vars: {least: 5}", "vars: {least: 5, most: '${KNOWN}'}")
    )
    first_commit(shop)
    (shop / "predicat.yml").write_text(
        STRANGER.replace("${SECRET}", "${SECRET}', most: '${KNOWN}").replace('"', "'")
    )
    (shop / "filters" / "shop.yml").write_text(SHOP.replace("LIKE '%1' OR", "LIKE '%2' OR"))
    monkeypatch.setenv("SECRET", "31337")
    monkeypatch.setenv("KNOWN", "1")
    return shop


def test_a_review_reads_only_variables_that_the_base_names(foreign: Path) -> None:
    done = in_process("diff", "main", cwd=foreign)
    assert done.returncode == 2 and "SECRET is not read" in done.stderr and "--env SECRET" in done.stderr
    assert "31337" not in done.stdout + done.stderr
    done = in_process("diff", "main", "--env", "SECRET", cwd=foreign)
    assert done.returncode == 1, done.stderr
    git(foreign, "checkout", "-q", "predicat.yml")
    assert in_process("diff", "main", cwd=foreign).returncode == 1


@pytest.mark.parametrize(
    "command", ["check", "list", "test", "lint", "sql big", "explain big", "compile", "diff main"]
)
def test_of_a_stranger_no_variable_is_read(foreign: Path, command: str) -> None:
    done = in_process(*command.split(), "--untrusted", cwd=foreign)
    assert done.returncode == 2 and "is not read" in done.stderr, done.stderr
    assert "31337" not in done.stdout + done.stderr
    done = in_process(*command.split(), "--untrusted", "--env", "SECRET", "--env", "KNOWN", cwd=foreign)
    assert "is not read" not in done.stderr
    assert in_process("list", cwd=foreign).returncode == 0, "the restriction ends with the command"


def test_paths_of_jobs_are_those_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from predicat.catalog.jobs import Job, Sink, Source
    from predicat.cli.run_command import _located

    (tmp_path / "sub").mkdir()
    (tmp_path / "predicat.yml").write_text("catalog: shop\n")
    sinks = (Sink("path", "out/{filter}"), Sink("path", "s3a://lake/x"), Sink("table", "t"))
    job = Job("j", "d", Source(paths=("in/*.csv", "/data/x")), sinks=sinks, checkpoint="state/j")
    monkeypatch.chdir(tmp_path)
    assert _located(job, tmp_path / "catalog") == job
    monkeypatch.chdir(tmp_path / "sub")
    moved = _located(job, tmp_path / "catalog")
    assert moved.source.paths == ("../in/*.csv", "/data/x") and moved.checkpoint == "../state/j"
    assert [sink.target for sink in moved.sinks] == ["../out/{filter}", "s3a://lake/x", "t"]
