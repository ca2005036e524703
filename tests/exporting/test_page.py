"""docs/exports.md: its table is that of the targets, and its sessions are replayed on its catalogs."""

import re
import shlex
from pathlib import Path

import pytest

from predicat.exporting.targets import TARGETS
from tests.processes import in_process
from tests.rounds import rounds
from tests.test_docs import ROOT, blocks

PAGE = ROOT / "docs" / "exports.md"
SESSIONS = blocks(PAGE, "console")


def test_the_table_has_every_target_and_how_it_was_tested() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("| target |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert {name.strip("`"): tested for name, _, tested in rows} == {
        name: target.tested for name, target in TARGETS.items()
    }


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.split("\n")[0][2:])
def test_a_session(session: str, tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    for place, text in enumerate(blocks(PAGE, "yaml")):
        (tmp_path / "catalog" / f"{place}.yml").write_text(text)
    calls = re.findall(r"^\$ predicat (.*)\n((?:[^$].*\n|\n)*)", session, re.MULTILINE)
    for call, output in rounds(calls, 1):
        done = in_process(*shlex.split(call), cwd=tmp_path)
        assert (done.stdout + done.stderr).rstrip() == output.rstrip()
