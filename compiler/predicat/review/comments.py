"""Publishes the comment of a review on a pull or merge request."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct

from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics.markdown import fenced
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.wording import quantity
from predicat.forge.git import head_of
from predicat.forge.rest import Api, ApiError
from predicat.review.entries import Identity

# What a comment begins with, unseen, so that it is found again.
MARK = "<!-- predicat diff -->"
# The key that distinguishes several comments of one pull request.
KEY = re.compile(r"[A-Za-z0-9._/]+(?:-[A-Za-z0-9._/]+)*")
# Problems that a comment shows of a review that could not be made.
SHOWN = 20
_OF = re.compile(r"<!-- predicat review of ([0-9a-f]{40,64}): ")
_PAGE = 100
_PAGES = 100

Environment = Mapping[str, str]


class Thread(Struct, frozen=True):
    """The comments of one pull request: the address of the list and of each comment, how to update one, how
    to recognize our own, and the limit of characters. `job` is the address of the CI job, `advice` the hint
    if the token may not write, `commits` are those that the job is for.
    """

    api: Api
    all: str
    one: str
    update: str
    mine: Callable[[Mapping[str, Any]], bool]
    limit: int
    job: str
    advice: str
    commits: frozenset[str]


# --- text


def mark_of(head: str) -> str:
    """How a review of a commit begins, unseen."""
    return f"{MARK}\n{Identity(head).mark()}\n"


def failed(problems: Sequence[Diagnostic], head: str = "", command: str = "diff") -> str:
    """The comment of a review of a commit that a command could not make: the problems as in the log."""
    count = quantity(len(problems), "problem")
    shown = "\n\n".join(item.render() for item in problems[:SHOWN])
    more = f"\n... and {len(problems) - SHOWN} more in the log of the job.\n" if len(problems) > SHOWN else ""
    start = f"{mark_of(head)}### Filters: no review"
    return f"{start}\n\n`predicat {command}` stopped at {count}:\n\n{fenced(shown, 'text')}\n{more}"


def is_of(review: str, commits: Collection[str]) -> bool:
    """Whether a review says that it is of one of these commits."""
    found = _OF.match(review.removeprefix(MARK).lstrip())
    return found is not None and found[1] in commits


def body(review: str, thread: Thread, key: str = "") -> str:
    """The text of the comment: the marker and the review, within the limit of the host."""
    text = review.replace("\0", "").strip().removeprefix(MARK).strip()
    where = f"[the log of the job]({thread.job})" if thread.job else "the log of the job"
    text = text or f"### Filters: no review\n\npredicat failed; {where} says why."
    return f"{marker(key)}\n{_truncated(text, thread.limit - 500, where)}\n"


def marker(key: str) -> str:
    """The first line of the comment for a key. It identifies the comment."""
    return f"<!-- predicat diff {key} -->" if key else MARK


def _truncated(text: str, limit: int, where: str) -> str:
    """A text cut to a limit, after a whole entry if possible."""
    if len(text) <= limit:
        return text
    end = text.rfind("\n</details>\n", 0, limit)
    kept = (
        text[: end + len("\n</details>\n")]
        if end > 0
        else fenced(text[:limit].rpartition("\n")[0] or text[:limit], "text")
    )
    return f"{kept}\n... cut here; {where} has the rest."


# --- one comment


def publish(thread: Thread, text: str, start: str) -> tuple[str, str]:
    """Update our comment that begins with a marker, or create it. Returns what was done, and the address of
    the comment.

    It can be repeated: a comment is found even if the response to its creation was lost. Raises ApiError.
    """
    known = next(
        (
            item
            for item in _comments(thread)
            if str(item.get("body") or "").startswith(start) and thread.mine(item)
        ),
        None,
    )
    if known is None:
        done, _ = thread.api.call("POST", thread.all, {"body": text})
    else:
        done, _ = thread.api.call(
            thread.update, f"{thread.one}/{quote(str(known.get('id')))}", {"body": text}
        )
    if not isinstance(done, dict) or "id" not in done:
        raise ApiError(say.no_comment(thread.api.host))
    return "created" if known is None else "updated", str(done.get("html_url") or "")


def _comments(thread: Thread) -> Iterator[Mapping[str, Any]]:
    """All comments, page by page."""
    for page in range(1, _PAGES + 1):
        comments, headers = thread.api.call(
            "GET", f"{thread.all}?{urlencode({'per_page': _PAGE, 'page': page})}"
        )
        if not isinstance(comments, list):
            raise ApiError(say.no_comments(thread.api.host))
        yield from (item for item in comments if isinstance(item, dict))
        if 'rel="next"' not in headers.get("Link", ""):
            return


# --- hosts


def github(environment: Environment, number: int | None = None) -> Thread:
    """The pull request of a GitHub workflow. Raises PredicatError if there is none.

    Source: GitHub's REST API, "Issue comments"; a comment may have 65,536 characters.
    """
    repository = _variable(environment, "GITHUB_REPOSITORY", r"[\w.-]+/[\w.-]+")
    number = number or _event_number(environment)
    token = _token(environment, "GITHUB_TOKEN", "GH_TOKEN")
    headers = {
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
        "User-Agent": "predicat",
    }
    api = Api(
        "GitHub",
        environment.get("GITHUB_API_URL", "https://api.github.com").rstrip("/"),
        {**headers, "Authorization": f"Bearer {token}"},
    )
    me = _Me(api, "login")
    run = environment.get("GITHUB_RUN_ID")
    job = (
        f"{environment.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}/actions/runs/{run}"
        if run
        else ""
    )
    return Thread(
        api,
        f"/repos/{repository}/issues/{number}/comments",
        f"/repos/{repository}/issues/comments",
        "PATCH",
        lambda item: (
            (user := item.get("user") or {}).get("type") == "Bot" or me.is_known_as(user.get("login"))
        ),
        65_000,
        job,
        (
            "the token of a pull request from a fork only reads; elsewhere the job needs GITHUB_TOKEN and "
            "`permissions: pull-requests: write`"
        ),
        _commits(environment.get("GITHUB_SHA"), _event_head(environment)),
    )


def gitlab(environment: Environment, number: int | None = None) -> Thread:
    """The merge request of a GitLab pipeline. Raises PredicatError if there is none.

    Source: GitLab's REST API, "Notes"; a note may have 1,000,000 characters.
    """
    base = _variable(environment, "CI_API_V4_URL", r"https?://.+")
    project = environment.get("CI_MERGE_REQUEST_PROJECT_ID") or _variable(environment, "CI_PROJECT_ID", r".+")
    result = (
        str(number)
        if number
        else _variable(environment, "CI_MERGE_REQUEST_IID", r"[0-9]+", say.IN_A_MERGE_REQUEST)
    )
    token = _token(environment, "GITLAB_TOKEN")
    headers = {"PRIVATE-TOKEN": token} if token else {"JOB-TOKEN": _token(environment, "CI_JOB_TOKEN")}
    api = Api("GitLab", base.rstrip("/"), {**headers, "User-Agent": "predicat"})
    me = _Me(api, "username")
    notes = f"/projects/{quote(project, safe='')}/merge_requests/{result}/notes"
    return Thread(
        api,
        notes,
        notes,
        "PUT",
        lambda item: me.is_known_as((item.get("author") or {}).get("username")),
        900_000,
        environment.get("CI_JOB_URL", ""),
        (
            "GITLAB_TOKEN must hold a project access token with the role Reporter and the scope api, which "
            "pipelines of forks do not get"
        ),
        _commits(environment.get("CI_COMMIT_SHA"), environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")),
    )


# The hosts that a review can be a comment on.
HOSTS: Mapping[str, Callable[[Environment, int | None], Thread]] = {"github": github, "gitlab": gitlab}


class _Me:
    """The owner of a token, requested once, if a comment might be ours. The token of a GitHub job may not
    request it.
    """

    def __init__(self, api: Api, key: str) -> None:
        self.api, self.key = api, key
        self.name: str | None = None

    def is_known_as(self, name: object) -> bool:
        if self.name is None:
            try:
                data, _ = self.api.call("GET", "/user")
                self.name = str(data.get(self.key) or "")
            except ApiError as problem:
                if problem.wait is not None:
                    raise
                self.name = ""
        return bool(name) and self.name == name


def without_quick_actions(text: str) -> str:
    """A text for GitLab, which runs a line that begins with a slash as a command (`/merge`): such lines get
    an invisible character in front.
    """
    return re.sub(r"(?m)^(?=[^\S\n]*/[A-Za-z])", "\u200b", text)


def _token(environment: Environment, *names: str) -> str:
    return next((token for name in names if (token := environment.get(name, "").strip())), "")


def _variable(environment: Environment, name: str, shape: str, hint: str | None = None) -> str:
    result = environment.get(name, "").strip()
    if not re.fullmatch(shape, result):
        raise PredicatError.of(say.bad_variable(name, result, hint or say.IN_A_JOB))
    return result


def _commits(*known: str | None) -> frozenset[str]:
    """The commits that a job is for: those that its host names, and the one that is checked out."""
    return frozenset(commit for commit in (*known, head_of(Path())) if commit)


def _event_head(environment: Environment) -> str | None:
    """The head of the pull request in a workflow's event, if it names one."""
    try:
        return str(_event(environment)["head"]["sha"])
    except (PredicatError, KeyError, TypeError):
        return None


def _event_number(environment: Environment) -> int:
    """The number of the pull request in a workflow's event."""
    try:
        return int(_event(environment)["number"])
    except (ValueError, KeyError, TypeError):
        raise PredicatError.of(say.no_pull_request()) from None


def _event(environment: Environment) -> Mapping[str, Any]:
    """The pull request in a workflow's event."""
    path = Path(_variable(environment, "GITHUB_EVENT_PATH", r".+", say.IN_A_WORKFLOW))
    try:
        pull_request: Mapping[str, Any] = dict(json.loads(path.read_bytes())["pull_request"])
    except (OSError, ValueError, KeyError, TypeError):
        raise PredicatError.of(say.no_pull_request()) from None
    return pull_request
