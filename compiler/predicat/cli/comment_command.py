"""predicat comment."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from predicat.cli.exit_codes import ExitCode
from predicat.cli.options import SECONDS, argument, option, options
from predicat.cli.output import FORMAT, show
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import commands as say

if TYPE_CHECKING:
    from predicat.forge.rest import ApiError
    from predicat.review.comments import Thread


# Status codes of a token that may not write, such as that of a pull request from a fork.
_NO_RIGHT = (401, 403, 404)


@click.command(
    "comment",
    help="Post a review (--format markdown of predicat diff or discover) as a comment on a pull request "
    "(GitHub) or merge request (GitLab). The comment is created once and then updated. Run this in a CI "
    "job. A review of another commit is not posted (exit code 2). If the comment cannot be written, the "
    "review goes to the summary or log of the job with a warning, and the exit code is 3, or 0 if the token "
    "may not write.",
)
@options
def command(
    *,
    host: str = argument(type=click.Choice(("github", "gitlab"))),
    review: Path = argument(default="-", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True)),
    key: str = option(
        "--key NAME", "A name that distinguishes the comments of several catalogs.", default=""
    ),
    number: int | None = option(
        "--number NUMBER",
        "The number of the pull request. Default: the one that the job runs for.",
        type=click.IntRange(min=1),
    ),
    timeout: float = option(
        "--timeout", "Time in seconds after which no request is tried again.", default=60.0, type=SECONDS
    ),
    form: str = FORMAT,
) -> None:
    from predicat.forge.rest import ApiError, with_retries  # noqa: PLC0415  # as above
    from predicat.review import comments  # noqa: PLC0415  # not for --help

    if key and not comments.KEY.fullmatch(key):
        raise click.UsageError(say.bad_key(key))
    thread = comments.HOSTS[host](os.environ, number)
    content = _text(review)
    fits = not content.strip() or comments.is_of(content, thread.commits)
    text = comments.body(content if fits else "", thread, key)
    if host == "gitlab":
        text = comments.without_quick_actions(text)
    try:
        done, address = with_retries(lambda: comments.publish(thread, text, comments.marker(key)), timeout)
    except ApiError as problem:
        reason = _instead(thread, text, problem, form)
        data = {"host": host, "done": None, "address": None, "reason": reason}
        show(form, data, lambda: "")
        if problem.status not in _NO_RIGHT:
            raise click.exceptions.Exit(ExitCode.ENGINE) from None
    else:
        data = {"host": host, "done": done, "address": address or None, "reason": None}
        show(form, data, f"{done} the comment {address}".rstrip)
    if not fits:
        raise PredicatError.of(say.other_review(thread.commits))


def _text(review: Path) -> str:
    """The review; empty where the command before has written none."""
    if str(review) == "-":
        return sys.stdin.buffer.read().decode(errors="replace")
    return review.read_bytes().decode(errors="replace") if review.is_file() else ""


def _instead(thread: Thread, text: str, problem: ApiError, form: str) -> str:
    """Say why there is no comment, and show the review where the job shows results. Returns the reason."""
    advice = f"; {thread.advice}" if problem.status in _NO_RIGHT else ""
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    reason = say.comment_not_written(problem.reason + advice, bool(summary))
    if not summary:
        click.echo(text, err=form == "json")
        click.echo(f"warning: {reason}", err=True)
        return reason
    with Path(summary).open("a", encoding="utf-8") as file:
        file.write(text + "\n")
    shown = reason.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    click.echo(f"::warning title=predicat comment::{shown}", err=True)
    return reason
