"""`predicat comment`: one comment, found by its mark; troubles that pass are waited for; a review of another
commit is not posted.
"""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from predicat.forge import rest
from predicat.review import comments
from tests.cli.test_output import KEYS
from tests.processes import in_process as run
from tests.review.forge import Forge, forge

Patch = pytest.MonkeyPatch
COMMIT = "1" * 40
MARKS = f"<!-- predicat diff -->\n<!-- predicat review of {COMMIT}: - to - -->\n"
REVIEW = f"{MARKS}### Filters: 1 wider\n"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: Patch) -> None:
    monkeypatch.setattr(rest, "_FIRST_WAIT", 0.01)


@pytest.fixture(params=["github", "gitlab"])
def host(request: pytest.FixtureRequest, monkeypatch: Patch, tmp_path: Path) -> Iterator[Forge]:
    """A host, in the environment of a job there."""
    with forge(request.param) as found:
        job(found, monkeypatch, tmp_path)
        yield found


def job(host: Forge, monkeypatch: Patch, folder: Path, base: str | None = None) -> None:
    for name in ("GITHUB_STEP_SUMMARY", "GH_TOKEN", "CI_JOB_TOKEN", "CI_JOB_URL", "GITHUB_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    (folder / "event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
    (folder / "review.md").write_text(REVIEW)
    known = {
        "NO_PROXY": "127.0.0.1",
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_EVENT_PATH": "event.json",
        "GITHUB_API_URL": base or host.url,
        "CI_PROJECT_ID": "11",
        "CI_API_V4_URL": base or host.url,
        "CI_MERGE_REQUEST_IID": "7",
        "GITHUB_SHA": COMMIT,
        "CI_COMMIT_SHA": COMMIT,
        "GITHUB_TOKEN": f"{host.token}\n",
        "GITLAB_TOKEN": host.token,
    }
    for name, value in known.items():
        monkeypatch.setenv(name, value)


def comment(host: Forge, folder: Path, *args: str) -> Any:
    return run("comment", host.kind, "review.md", *args, cwd=folder)


def test_created_once_and_updated_from_then_on(host: Forge, tmp_path: Path) -> None:
    host.add("hello", "somebody")
    for done in ("created", "updated", "updated"):
        result = comment(host, tmp_path)
        assert (result.returncode, result.stderr) == (0, "") and result.stdout.startswith(
            f"{done} the comment"
        )
    assert host.ours() == [REVIEW]
    assert comment(host, tmp_path, "--key", "shop/eu-1").stdout.startswith("created")
    assert comment(host, tmp_path, "--key", "shop/eu-1").stdout.startswith("updated")
    assert host.ours() == [REVIEW, REVIEW.replace("diff -->", "diff shop/eu-1 -->")]


def test_as_json(host: Forge, tmp_path: Path) -> None:
    data = json.loads(comment(host, tmp_path, "--format", "json").stdout)
    assert set(data) == KEYS["comment"]
    assert (data["host"], data["done"], data["reason"]) == (host.kind, "created", None)
    host.refusals = [(403, {})]
    result = comment(host, tmp_path, "--format", "json")
    data = json.loads(result.stdout)
    assert (result.returncode, data["done"], data["address"]) == (0, None, None)
    assert data["reason"] in result.stderr and REVIEW in result.stderr


def test_a_comment_of_somebody_else_is_left_alone(host: Forge, tmp_path: Path) -> None:
    theirs = [host.add(REVIEW, "somebody"), host.add(f"> {REVIEW}", "github-actions[bot]")]
    comment(host, tmp_path)
    assert [item["body"] for item in theirs] == [REVIEW, f"> {REVIEW}"] and host.written() == ["POST"]


@pytest.mark.parametrize(
    "refusals",
    [[(502, {})], [(429, {"Retry_After": "0"}), (503, {})], [(403, {"X_RateLimit_Remaining": "0"})]],
)
def test_troubles_that_pass_are_waited_for(host: Forge, tmp_path: Path, refusals: list[Any]) -> None:
    host.refusals = list(refusals)
    result = comment(host, tmp_path)
    assert (result.returncode, result.stderr, host.ours()) == (0, "", [REVIEW])


def test_an_answer_that_is_lost_makes_no_second_comment(host: Forge, tmp_path: Path) -> None:
    host.lose = 1
    assert comment(host, tmp_path).stdout.startswith("updated")
    assert host.ours() == [REVIEW]


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        ((403, {}), "answers 403 (not now); "),
        ((404, {}), "answers 404 (not now); "),
        ((422, {}), "answers 422 (not now). "),
        ((302, {"Location": "http://127.0.0.1:1/"}), "answers 302 (not now). "),
        ((503, {"Retry_After": "3600"}), "answers 503 (not now). "),
    ],
)
def test_a_comment_that_cannot_be_written_is_no_success(
    host: Forge, tmp_path: Path, monkeypatch: Patch, refusal: tuple[int, dict[str, str]], said: str
) -> None:
    host.refusals = [refusal]
    code = 0 if refusal[0] in (401, 403, 404) else 3
    result = comment(host, tmp_path)
    assert result.returncode == code and len(host.requests) == 1
    assert f"warning: the comment was not written: {host.kind} {said}" in result.stderr.lower()
    assert result.stderr.endswith("The review is in the log of the job.\n") and REVIEW in result.stdout
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    host.refusals = [refusal]
    result = comment(host, tmp_path)
    assert (
        result.returncode == code
        and result.stderr.startswith("::warning title=predicat comment::the comment was not written")
        and result.stdout == ""
    )
    assert (tmp_path / "summary.md").read_text().startswith(REVIEW)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n[1,2]",
        b"HTTP/1.1 500 \xff\r\nContent-Length: 1\r\n\r\n\xff",
        None,
    ],
)
def test_a_host_that_answers_nonsense_or_is_down(
    tmp_path: Path, monkeypatch: Patch, answer: bytes | None
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, forge("github") as host:
        job(host, monkeypatch, tmp_path, f"http://127.0.0.1:{server.getsockname()[1]}")
        if answer is None:
            server.close()
        else:

            def serve() -> None:
                while True:
                    try:
                        asked, _ = server.accept()
                    except OSError:
                        return
                    with asked:
                        asked.recv(65536)
                        asked.sendall(answer)

            serving = threading.Thread(target=serve, daemon=True)
            serving.start()
        result = comment(host, tmp_path, "--timeout", "0.2")
        if answer is not None:
            # A thread that still waits would answer for the next server whose socket has this number.
            server.shutdown(socket.SHUT_RDWR)
            serving.join()
        assert (
            result.returncode == 3
            and "warning: the comment was not written: GitHub " in result.stderr
            and "Traceback" not in result.stderr
        )


@pytest.mark.parametrize(
    ("name", "value", "code", "said"),
    [
        ("GITHUB_REPOSITORY", None, 2, "GITHUB_REPOSITORY is not set"),
        ("GITHUB_REPOSITORY", "o/../r", 2, "which is not a valid value"),
        ("GITHUB_EVENT_PATH", None, 2, "GITHUB_EVENT_PATH is not set"),
        ("GITHUB_EVENT_PATH", "review.md", 2, "does not belong to a pull request"),
        ("GITHUB_TOKEN", None, 0, "answers 401"),
        ("GITHUB_TOKEN", "a\nb", 3, "GitHub cannot be used"),
        ("GITHUB_TOKEN", "\u2028x\u00e9\u4e00", 3, "the token"),
        ("GITHUB_API_URL", "file:///etc", 3, "is not the address of an API"),
    ],
)
def test_what_the_job_lacks_is_told(
    tmp_path: Path, monkeypatch: Patch, name: str, value: str | None, code: int, said: str
) -> None:
    with forge("github") as host:
        job(host, monkeypatch, tmp_path)
        monkeypatch.delenv(name) if value is None else monkeypatch.setenv(name, value)
        result = comment(host, tmp_path)
        assert (
            result.returncode == code
            and said in result.stderr
            and "Traceback" not in result.stderr
            and host.token not in result.stderr
        )


def test_gitlab_without_a_merge_request_or_a_token(tmp_path: Path, monkeypatch: Patch) -> None:
    with forge("gitlab") as host:
        job(host, monkeypatch, tmp_path)
        monkeypatch.delenv("GITLAB_TOKEN")
        monkeypatch.setenv("CI_JOB_TOKEN", "job")
        result = comment(host, tmp_path)
        assert (
            result.returncode == 0
            and "GITLAB_TOKEN must hold a project access token with the role Reporter" in result.stderr
        )
        monkeypatch.delenv("CI_MERGE_REQUEST_IID")
        result = comment(host, tmp_path)
        assert (
            result.returncode == 2
            and "CI_MERGE_REQUEST_IID is not set" in result.stderr
            and "--number" in result.stderr
        )


def test_no_line_of_a_review_is_a_command_of_gitlab(tmp_path: Path, monkeypatch: Patch) -> None:
    with forge("gitlab") as host:
        job(host, monkeypatch, tmp_path)
        (tmp_path / "review.md").write_text(f"{REVIEW}/merge\n  /approve\n</details>\n- a/b\n")
        comment(host, tmp_path)
        (body,) = host.ours()
        assert (
            not any(line.lstrip(" ").startswith("/") for line in body.splitlines())
            and "</details>" in body.splitlines()
            and "/merge" in body
        )


@pytest.mark.parametrize(
    "text",
    [
        "### Filters: no rows change",
        "<!-- predicat diff -->\n### Filters: no rows change",
        REVIEW.replace(COMMIT, "2" * 40) + "no rows change",
        REVIEW.replace(COMMIT, "-") + "no rows change",
        "no rows change\n" + REVIEW,
    ],
)
def test_a_review_of_another_commit_is_not_posted(host: Forge, tmp_path: Path, text: str) -> None:
    (tmp_path / "review.md").write_text(text)
    result = comment(host, tmp_path)
    assert (result.returncode, f"the review is not of {COMMIT}" in result.stderr) == (2, True)
    (body,) = host.ours()
    assert "### Filters: no review" in body and "no rows change" not in body


@pytest.mark.parametrize("key", ["-->", "a--b", "a b", "", "<"])
def test_a_key_stays_within_its_mark(host: Forge, tmp_path: Path, key: str) -> None:
    result = comment(host, tmp_path, "--key", key)
    assert result.returncode == (0 if key == "" else 2)


@pytest.mark.parametrize("text", ["", "<!-- predicat diff -->\n", "\n\0"])
def test_a_review_that_is_missing_is_told(host: Forge, tmp_path: Path, monkeypatch: Patch, text: str) -> None:
    monkeypatch.setenv("CI_JOB_URL", "https://ci.example/5")
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://ci.example")
    monkeypatch.setenv("GITHUB_RUN_ID", "5")
    (tmp_path / "review.md").write_text(text)
    comment(host, tmp_path)
    (tmp_path / "review.md").unlink()
    assert comment(host, tmp_path).stdout.startswith("updated")
    (body,) = host.ours()
    assert "### Filters: no review" in body and "[the log of the job](https://ci.example/" in body


def test_a_review_that_is_too_long_is_cut_behind_an_entry() -> None:
    entry = f"<details>\n{'x' * 900}\n\n</details>\n"
    thread = comments.github({"GITHUB_REPOSITORY": "o/r"}, 7)
    body = comments.body(REVIEW + entry * 200, thread)
    assert len(body) <= thread.limit and body.count("<details>") == body.count("</details>") > 50
    assert body.endswith("\n... cut here; the log of the job has the rest.\n")
    assert len(comments.body(REVIEW + "line\n" * 50_000, thread)) <= thread.limit


def test_many_problems_are_counted(tmp_path: Path) -> None:
    from predicat.diagnostics import messages

    shown = comments.failed([messages.usage(f"problem {number} ```") for number in range(30)])
    assert (
        "stopped at 30 problems" in shown
        and "problem 19" in shown
        and "problem 20" not in shown
        and "and 10 more" in shown
        and shown.count("````") == 2
    )
    (tmp_path / "catalog").mkdir()
    for args in ((), ("--out", "review.md")):
        result = run("diff", "--format", "markdown", *args, cwd=tmp_path)
        written = (tmp_path / "review.md").read_text() if args else result.stdout
        assert (
            result.returncode == 2
            and written.startswith(
                "<!-- predicat diff -->\n<!-- predicat review of -: - to - -->\n### Filters: no review\n"
            )
            and result.stderr
        )
    assert run("diff", cwd=tmp_path).stdout == ""


def test_waiting_ends() -> None:
    waits: list[float] = []

    def work() -> None:
        raise rest.ApiError("down", 503, 0)

    with pytest.raises(rest.ApiError):
        rest.with_retries(work, 0.5, waits.append)
    assert 3 < len(waits) < 9 and waits == sorted(waits)
