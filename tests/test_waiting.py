"""Long work says that it goes on, also where there is no terminal."""

import threading

import pytest

from predicat.diagnostics import waiting


def test_lines_of_long_work(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(waiting, "SECONDS", 0.02)
    enough, calls = threading.Event(), []

    def about() -> str:
        calls.append(len(calls))
        if len(calls) == 3:
            enough.set()
        return f"{len(calls)} rows read" if len(calls) != 2 else 1 / 0

    with waiting.reported("measuring orders", about):
        assert enough.wait(30)
    first, second, third, *_ = capsys.readouterr().err.splitlines()
    assert (first, second) == ("measuring orders: 0 s, 1 rows read", "measuring orders: 0 s")
    assert third == "measuring orders: 0 s, 3 rows read"
    alive = [thread for thread in threading.enumerate() if thread.name.endswith("(tell)")]
    assert alive == []


def test_quick_work_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with waiting.reported("measuring orders"):
        pass
    assert capsys.readouterr().err == ""
