"""`predicat discover --check` of pull requests in a real repository: only what is new counts, and each output
is a file in `ci`. `python -m tests.discover.test_ci` writes those files anew.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

import pytest
import yaml

from tests.cli.test_commands import ROOT
from tests.processes import first_commit, git
from tests.processes import in_process as run

HOOKS = ROOT / ".pre-commit-hooks.yaml"
GOLDENS = Path(__file__).parent / "ci"
CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {spark: shop.orders}
fields: {status: string, amount: bigint, region: string}
filters:
  large:
    sql: status = 'open' and amount > 3 and region = 'eu'
"""
OLD = """select * from shop.orders where region = 'eu' and region = 'us';
select * from shop.orders where status = 'open' and amount > 3 and region = 'eu';
"""
COPY = "select * from shop.orders o where o.region = 'eu' and not o.amount <= 3 and o.status = 'open';\n"
DRIFT = "select * from shop.orders where status = 'open' and amount >= 3 and region = 'eu';\n"
NEVER = "select * from shop.orders where status = 'new' and status = 'open';\n"
CHECK = ("discover", "sql", "--dialect", "spark", "--check")
FORMATS = {"text": "txt", "github": "github.txt", "sarif": "sarif", "markdown": "md"}


# What differs between repositories.
COMMIT = re.compile(r"(?<=review of )[0-9a-f]{40}")


def repository(folder: Path) -> Path:
    """A repository with an old mistake and an old copy, on a branch that leaves main."""
    for name in ("catalog", "sql"):
        (folder / name).mkdir(parents=True)
    (folder / "catalog" / "orders.yml").write_text(CATALOG)
    (folder / "sql" / "old.sql").write_text(OLD)
    first_commit(folder)
    git(folder, "checkout", "-qb", "change")
    return folder


def pull_request(folder: Path) -> Path:
    """A change that moves a file and its lines, and adds a copy, a drift and a mistake."""
    git(folder, "mv", "sql/old.sql", "sql/renamed.sql")
    text = (folder / "sql" / "renamed.sql").read_text()
    (folder / "sql" / "renamed.sql").write_text(f"-- one more line\nselect 1;\n{text}")
    (folder / "sql" / "new.sql").write_text(COPY + DRIFT + NEVER)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "change")
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo")


def codes(folder: Path, *options: str) -> list[tuple[str, str, int]]:
    """The code, the file and the line of each finding that is told."""
    done = run(*CHECK, "--format", "json", *options, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    told = [row for row in json.loads(done.stdout)["findings"] if row["level"] != "note"]
    assert done.returncode == bool(told)
    return sorted((row["code"], row["file"], row["line"]) for row in told)


NEW = [("D101", "sql/new.sql", 3), ("D301", "sql/new.sql", 1), ("D302", "sql/new.sql", 2)]


@pytest.mark.parametrize("form", FORMATS)
def test_the_outputs_of_a_pull_request(repo: Path, form: str) -> None:
    done = run(*CHECK, "--against", "main...", "--format", form, cwd=pull_request(repo))
    assert done.returncode == 1, done.stderr
    assert done.stderr == "2 known findings at main...\n"
    assert COMMIT.sub("COMMIT", done.stdout) == (GOLDENS / f"pull.{FORMATS[form]}").read_text()


def test_what_a_revision_has_is_not_new(repo: Path) -> None:
    assert codes(repo) == [("D101", "sql/old.sql", 1), ("D301", "sql/old.sql", 2)]
    assert codes(repo, "--against", "main") == []
    assert codes(pull_request(repo), "--against", "main") == NEW
    (repo / "sql" / "more.sql").write_text(NEVER)  # not committed, and there a second time
    assert [row for row in codes(repo, "--against", "HEAD") if row[1] == "sql/old.sql"] == []
    assert ("D101", "sql/more.sql", 1) in codes(repo, "--against", "main")
    assert len(codes(repo, "--against", "HEAD")) == 1


def test_a_new_folder_has_only_new_findings(repo: Path) -> None:
    (repo / "jobs").mkdir()
    (repo / "jobs" / "a.sql").write_text(NEVER)
    done = run("discover", "jobs", "--check", "--against", "main", cwd=repo)
    assert done.returncode == 1 and "jobs/a.sql:1:33" in done.stdout
    assert done.stderr == "0 known findings at main\n"
    above = ("../sql", "--catalog", "../catalog")
    done = run("discover", *above, "--check", "--against", "main", cwd=repo / "jobs")
    assert done.returncode == 0 and done.stderr == "2 known findings at main\n", done.stderr


def test_code_that_a_new_filter_meets_is_no_new_copy(repo: Path) -> None:
    filter_ = "  open:\n    sql: region = 'eu' and region is not null and amount < 100 and status = 'x'\n"
    (repo / "sql" / "old.sql").write_text(
        f"{OLD}select * from shop.orders where amount < 100 and status = 'x' and region = 'eu';\n"
    )
    git(repo, "commit", "-qam", "code")
    (repo / "catalog" / "orders.yml").write_text(CATALOG + filter_)
    assert codes(repo, "--against", "HEAD") == []
    assert ("D301", "sql/old.sql", 3) in codes(repo)


def test_code_that_a_changed_filter_leaves_has_drifted(repo: Path) -> None:
    (repo / "catalog" / "orders.yml").write_text(CATALOG.replace("amount > 3", "amount > 5"))
    assert codes(repo, "--against", "main") == [("D302", "sql/old.sql", 2)]
    (repo / "catalog" / "orders.yml").write_text("dataset: [\n")
    git(repo, "commit", "-qam", "broken")
    (repo / "catalog" / "orders.yml").write_text(CATALOG)
    assert codes(repo, "--against", "HEAD") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--against", "nowhere"), "nowhere"),
        (("--against", "main", "--baseline", "b", "--update-baseline"), "cannot be combined"),
        (("--against", "main", "--read-only"), "cannot be combined"),
        (("--against", "main", "--patch", "p"), "cannot be combined"),
    ],
)
def test_wrong_use_of_a_revision(repo: Path, options: tuple[str, ...], message: str) -> None:
    done = run("discover", "sql", *options, cwd=repo)
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_a_path_out_of_the_repository_is_told(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "else.sql").write_text(NEVER)
    done = run("discover", "sql", "../else.sql", "--check", "--against", "main", cwd=repo)
    assert done.returncode == 2 and "../else.sql is not in the repository" in done.stderr
    done = run("discover", "else.sql", "--check", "--against", "main", cwd=tmp_path)
    assert done.returncode == 2 and "not in a git repository" in done.stderr, done.stderr


def test_a_shallow_clone_names_what_it_lacks(repo: Path, tmp_path: Path) -> None:
    pull_request(repo)
    git(tmp_path, "clone", "-q", "--depth", "1", "--branch", "change", f"file://{repo}", "clone")
    done = run(*CHECK, "--against", "main", cwd=tmp_path / "clone")
    assert done.returncode == 2 and done.stderr.count("this clone is shallow") == 1, done.stderr
    git(tmp_path / "clone", "fetch", "-q", "--depth", "1", "origin", "main")
    assert codes(tmp_path / "clone", "--against", "FETCH_HEAD") == NEW


def test_a_baseline_survives_moves_and_other_changes(repo: Path) -> None:
    baseline = ("--baseline", "known.txt")
    done = run("discover", "sql", "--dialect", "spark", *baseline, "--update-baseline", cwd=repo)
    assert done.stdout == "known.txt: 2 findings, 2 new, 0 gone\n"
    assert codes(repo, *baseline) == []
    assert codes(pull_request(repo), *baseline) == NEW
    ddl = "create table shop.orders (region varchar(3));\n"
    (repo / "sql" / "renamed.sql").write_text(ddl + OLD.replace("select *", "select\n  *"))
    (repo / "sql" / "new.sql").unlink()
    done = run(*CHECK, *baseline, cwd=repo)
    assert (done.returncode, done.stderr) == (0, "2 known findings in known.txt\n")


@pytest.mark.parametrize("move", [("a", "z"), ("b", "0"), ("c", "0")])
def test_near_rules_are_known_whatever_their_files_are_called(tmp_path: Path, move: tuple[str, str]) -> None:
    rules = {
        "a": "from shop.orders where region in ('eu', 'us') and kind = 'a' and amount > 0",
        "b": "from shop.orders where amount >= 0 and region in ('eu', 'us') and kind = 'a'",
        "c": "from shop.old o where not o.amount < 0 and o.kind = 'a' and o.region in ('us', 'eu')",
    }
    (tmp_path / "sql").mkdir()
    for name, rule in rules.items():
        (tmp_path / "sql" / f"{name}.sql").write_text(f"select 1 {rule};\n")
    first_commit(tmp_path)
    done = run("discover", "sql", "--baseline", "known.txt", "--update-baseline", cwd=tmp_path)
    assert done.stdout == "known.txt: 1 finding, 1 new, 0 gone\n"
    old, new = (tmp_path / "sql" / f"{name}.sql" for name in move)
    new.write_text("-- moved\n" + old.read_text())
    old.unlink()
    for known in (("--baseline", "known.txt"), ("--against", "HEAD")):
        done = run("discover", "sql", "--check", *known, "--format", "github", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, ""), done.stdout
        assert "stale" not in done.stderr
    new.write_text(new.read_text().replace("region", "area"))
    assert ("D202" in run("discover", "sql", "--check", cwd=tmp_path).stdout) == (move[0] == "c")


def test_a_line_of_a_mended_mistake_is_told_and_goes(repo: Path) -> None:
    baseline = ("--baseline", "known.txt")
    run("discover", "sql", "--dialect", "spark", *baseline, "--update-baseline", cwd=repo)
    (repo / "sql" / "old.sql").write_text(OLD.replace("region = 'us'", "amount > 1"))
    done = run(*CHECK, *baseline, cwd=repo)
    assert done.returncode == 0
    assert "known.txt has 1 stale line; --update-baseline removes them:\n  D101 " in done.stderr
    done = run("discover", "sql/old.sql", "--check", *baseline, cwd=repo)  # as a hook, which reads a part
    assert "stale" not in done.stderr
    done = run("discover", "sql", "--dialect", "spark", *baseline, "--update-baseline", cwd=repo)
    assert done.stdout == "known.txt: 1 finding, 0 new, 1 gone\n"
    assert "D101" not in (repo / "known.txt").read_text()


@pytest.mark.parametrize(
    ("text", "place"),
    [("# a\n{broken\n", "known.txt:2:1"), ("D101\n", "known.txt:1:1"), ("<<<<<<< HEAD\n", "known.txt:1:1")],
)
def test_a_file_that_is_no_baseline_is_an_error_and_stays(repo: Path, text: str, place: str) -> None:
    (repo / "known.txt").write_text(text)
    for options in ((), ("--update-baseline",)):
        done = run("discover", "sql", "--baseline", "known.txt", *options, cwd=repo)
        assert done.returncode == 2 and place in done.stderr, done.stderr
        assert (repo / "known.txt").read_text() == text


def test_lines_of_lint_stay_in_a_baseline_of_both(repo: Path) -> None:
    line = "P201 0123456789ab orders.large: this operand has no effect\n"
    (repo / "known.txt").write_text(line)
    done = run("discover", "sql", "--baseline", "known.txt", "--update-baseline", cwd=repo)
    assert done.stdout == "known.txt: 3 findings, 2 new, 0 gone\n"
    assert line in (repo / "known.txt").read_text()


def test_a_hook_tells_what_a_commit_adds(repo: Path) -> None:
    (hook,) = [row for row in yaml.safe_load(HOOKS.read_text()) if row["id"] == "predicat-discover"]
    command = hook["entry"].split()[1:]
    (repo / "sql" / "old.sql").write_text(OLD + COPY)
    (repo / "sql" / "plain.sql").write_text("select 1;\n")
    changed = ("sql/old.sql", "sql/plain.sql")
    done = run(*command, "--dialect", "spark", "--against", "HEAD", "--format", "github", *changed, cwd=repo)
    assert (done.returncode, done.stderr) == (1, "2 known findings at HEAD\n")
    (line,) = done.stdout.splitlines()
    assert line.startswith("::warning file=sql/old.sql,line=3,title=D301::")
    done = run(*command, "--against", "HEAD", "sql/plain.sql", cwd=repo)
    assert done.returncode == 0


if __name__ == "__main__":
    GOLDENS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        changed = pull_request(repository(Path(place) / "repo"))
        for name, suffix in FORMATS.items():
            output = run(*CHECK, "--against", "main...", "--format", name, cwd=changed)
            if output.returncode == 1:
                (GOLDENS / f"pull.{suffix}").write_text(COMMIT.sub("COMMIT", output.stdout))
            else:
                sys.stderr.write(output.stderr)
