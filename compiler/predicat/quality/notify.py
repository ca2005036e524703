"""Posts the outcome of a run to a webhook."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.wording import quantity
from predicat.forge.rest import Api, ApiError, with_retries
from predicat.quality.checks import Line, lines, tally, words, worst
from predicat.quality.outcome import Run
from predicat.quality.report import data

# How long a webhook is tried for.
_WAIT_SECONDS = 60.0
# Checks that a message for people names.
MOST = 10


def notify(url: str, form: str, runs: Sequence[Run]) -> None:
    """Post the runs in a format of FORMATS. Raises PredicatError that does not show the address: it is
    often a secret.
    """
    host = urlsplit(url).hostname or "the webhook"
    api = Api(host, url, {"User-Agent": "predicat"})
    try:
        with_retries(lambda: api.call("POST", "", FORMATS[form](runs)), _WAIT_SECONDS)
    except (ApiError, ValueError) as problem:
        reason = problem.reason if isinstance(problem, ApiError) else say.NO_WEB_ADDRESS
        raise PredicatError.of(say.webhook_refused(reason.replace(url, host))) from None


def _json(runs: Sequence[Run]) -> Mapping[str, Any]:
    return {"summary": summary(runs), "status": worst([run.status for run in runs]), "runs": data(runs)}


def _slack(runs: Sequence[Run]) -> Mapping[str, Any]:
    """A message of Slack's incoming webhooks. Source: Slack's reference of blocks."""
    shown = [f"*error* {_escaped(failure)}" for run in runs for failure in run.failures]
    shown += [
        f"*{words(line.status)}* {_escaped(line.message)}{_more(run, line)}"
        for run in runs
        for line in lines(run.checks)
        if line.status != "pass"
    ]
    more = f"\n... and {len(shown) - MOST} more" if len(shown) > MOST else ""
    header = {"type": "section", "text": {"type": "mrkdwn", "text": f"*{_escaped(summary(runs))}*"}}
    body = {"type": "section", "text": {"type": "mrkdwn", "text": ("\n".join(shown[:MOST]) + more)[:2900]}}
    return {"text": summary(runs), "blocks": [header, body] if shown else [header]}


def _more(run: Run, line: Line) -> str:
    """What decides the rows of a bound, its owner, the place of the filter, and its last change."""
    check = line.checks[0]
    if len(line.checks) > 1:
        return ""
    owner, origin = run.owner(check.name), run.origins.get(check.name)
    parts = [check.blame, f"owner {owner}" if owner else ""]
    if origin is not None:
        place = f"{origin.file}:{origin.line}"
        parts.append(f"<{origin.url}|{_escaped(place)}>" if origin.url else place)
        change = origin.change
        parts.append(f"last change {change.day} {change.hash[:12]} {change.subject}" if change.hash else "")
    linked = [part if part.startswith("<http") else _escaped(part) for part in parts if part]
    return "".join(f"\n    {part}" for part in linked)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def summary(runs: Sequence[Run]) -> str:
    """One line: how the bounds of which datasets ended."""
    errors = sum(len(run.failures) for run in runs)
    names = ", ".join(run.dataset for run in runs)
    return f"Filter coverage of {names}: {tally([check for run in runs for check in run.checks])}" + (
        f", {quantity(errors, 'engine error')}" if errors else ""
    )


# The forms of a message by name.
FORMATS: Mapping[str, Callable[[Sequence[Run]], Mapping[str, Any]]] = {"json": _json, "slack": _slack}
# When a message is sent, by the word of --notify-on.
EVENTS: Mapping[str, Callable[[Sequence[Run]], bool]] = {
    "fail": lambda runs: any(run.code for run in runs),
    "warn": lambda runs: any(run.status != "pass" for run in runs),
    "always": lambda _: True,
}
