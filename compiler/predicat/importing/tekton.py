"""Tekton: the CEL filters of interceptors in EventListeners and Triggers. What overlays add is put in for
`extensions.x`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from predicat.diagnostics.messages import importing as say
from predicat.importing.celtext import Cel, cel_of
from predicat.importing.documents import Document
from predicat.importing.kubernetes import name_of, title_of
from predicat.importing.located import at, items, span_of, texts
from predicat.importing.model import Findings, Taken
from predicat.importing.rows import WEBHOOKS

_KINDS = ("EventListener", "Trigger")


def recognises(document: Document) -> bool:
    """Whether a document is an EventListener or a Trigger of Tekton."""
    return document.data.get("kind") in _KINDS and "tekton.dev" in str(document.data.get("apiVersion", ""))


def read(document: Document, found: Findings) -> None:
    """Takes the filters of each trigger."""
    spec, name, title = at(document.data, "spec"), name_of(document.data), title_of(document.data)
    if document.data["kind"] == "Trigger":
        _trigger(document.data, found, name, title, "spec", at(spec, "interceptors"))
        return
    triggers = items(at(spec, "triggers"))
    for number, row in enumerate(triggers):
        own = texts(at(row, "name")) or texts(at(row, "template", "ref")) or str(number + 1)
        if at(row, "triggerRef"):
            found.leave(
                f"{title}, spec.triggers[{number}]", say.another_trigger(at(row, "triggerRef")), span_of(row)
            )
        else:
            _trigger(
                row,
                found,
                name if own == name else f"{name}_{own}",
                title,
                f"spec.triggers[{number}]",
                at(row, "interceptors"),
            )
    for number, row in enumerate(items(at(spec, "triggerGroups"))):
        own = texts(at(row, "name")) or str(number + 1)
        _trigger(row, found, f"{name}_{own}", title, f"spec.triggerGroups[{number}]", at(row, "interceptors"))
    if not triggers and not items(at(spec, "triggerGroups")):
        found.leave(title, say.NO_TRIGGER, document.span)


def _trigger(trigger: Any, found: Findings, name: str, title: str, path: str, interceptors: Any) -> None:
    """Takes the filters of a trigger's interceptors, and where there are several, all of them as one."""
    extensions: dict[str, Cel] = {}
    taken: list[str] = []
    rows = [(number, row, dict(_parameters(row))) for number, row in enumerate(items(interceptors))]
    filters = sum(isinstance(given.get("filter"), str) for _, _, given in rows)
    for number, row, given in rows:
        where = f"{path}.interceptors[{number}]"
        condition = given.get("filter")
        if isinstance(condition, str):
            cel = cel_of(condition).inlined(extensions)
            own = f"{name}_{len(taken) + 1}" if filters > 1 else name
            taken.append(
                found.take(
                    Taken(
                        own,
                        title,
                        f"{where}.filter",
                        "cel",
                        cel.text.rstrip(),
                        span_of(condition),
                        WEBHOOKS,
                        cel.source,
                    )
                )
            )
        else:
            found.leave(f"{title}, {where}", _why_not(row), span_of(row, span_of(trigger)))
        for overlay in items(given.get("overlays")):
            if isinstance(at(overlay, "expression"), str):
                extensions[f"extensions.{at(overlay, 'key')}"] = cel_of(overlay["expression"]).inlined(
                    extensions
                )
    if len(taken) > 1:
        found.take(
            Taken(
                name,
                title,
                path,
                "all",
                list(taken),
                span_of(trigger),
                WEBHOOKS,
                uses=tuple(taken),
                says="All interceptors of the trigger.",
            )
        )
    if not rows:
        found.leave(f"{title}, {path}", say.NO_INTERCEPTORS, span_of(trigger))


def _parameters(row: Any) -> Iterator[tuple[str, Any]]:
    """What a CEL interceptor is given, in its present and its former notation."""
    if isinstance(at(row, "cel"), dict):
        yield from row["cel"].items()
    elif _name(row) == "cel":
        for given in items(at(row, "params")):
            yield texts(at(given, "name")), at(given, "value")


def _name(row: Any) -> str:
    return texts(at(row, "ref", "name")) or texts(at(row, "name"))


def _why_not(row: Any) -> str:
    if at(row, "cel") is not None or _name(row) == "cel":
        return say.ONLY_OVERLAYS
    kind = _name(row) or next(
        (key for key in ("github", "gitlab", "bitbucket", "slack", "webhook") if at(row, key) is not None), ""
    )
    return say.own_program(kind) if kind else say.NO_CEL_INTERCEPTOR
