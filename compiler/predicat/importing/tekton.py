"""Tekton: the CEL filters of interceptors in EventListeners and Triggers. What overlays add is put in for
`extensions.x`.
"""

from collections.abc import Iterator
from typing import Any

from predicat.diagnostics.messages import importing as say
from predicat.importing.celtext import Cel, cel_of
from predicat.importing.documents import Document
from predicat.importing.kubernetes import name_of, title_of
from predicat.importing.located import at, items, span_of, texts
from predicat.importing.model import Findings, ImportedFilter
from predicat.importing.rows import WEBHOOKS


def read(document: Document, findings: Findings) -> None:
    """Takes the filters of each trigger."""
    spec, name, title = at(document.data, "spec"), name_of(document.data), title_of(document.data)
    if document.data["kind"] == "Trigger":
        _trigger(document.data, findings, name, title, "spec", at(spec, "interceptors"))
        return
    triggers = items(at(spec, "triggers"))
    for number, trigger in enumerate(triggers):
        own = texts(at(trigger, "name")) or texts(at(trigger, "template", "ref")) or str(number + 1)
        if at(trigger, "triggerRef"):
            findings.skip(
                f"{title}, spec.triggers[{number}]",
                say.another_trigger(at(trigger, "triggerRef")),
                span_of(trigger),
            )
        else:
            _trigger(
                trigger,
                findings,
                name if own == name else f"{name}_{own}",
                title,
                f"spec.triggers[{number}]",
                at(trigger, "interceptors"),
            )
    for number, trigger in enumerate(items(at(spec, "triggerGroups"))):
        own = texts(at(trigger, "name")) or str(number + 1)
        _trigger(
            trigger,
            findings,
            f"{name}_{own}",
            title,
            f"spec.triggerGroups[{number}]",
            at(trigger, "interceptors"),
        )
    if not triggers and not items(at(spec, "triggerGroups")):
        findings.skip(title, say.NO_TRIGGER, document.span)


def _trigger(trigger: Any, findings: Findings, name: str, title: str, path: str, interceptors: Any) -> None:
    """Takes the filters of a trigger's interceptors, and where there are several, all of them as one."""
    extensions: dict[str, Cel] = {}
    imported: list[str] = []
    rows = [
        (number, interceptor, dict(_parameters(interceptor)))
        for number, interceptor in enumerate(items(interceptors))
    ]
    filters = sum(isinstance(given.get("filter"), str) for _, _, given in rows)
    for number, interceptor, given in rows:
        where = f"{path}.interceptors[{number}]"
        condition = given.get("filter")
        if isinstance(condition, str):
            cel = cel_of(condition).inlined(extensions)
            own = f"{name}_{len(imported) + 1}" if filters > 1 else name
            imported.append(
                findings.add(
                    ImportedFilter(
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
            findings.skip(f"{title}, {where}", _why_not(interceptor), span_of(interceptor, span_of(trigger)))
        for overlay in items(given.get("overlays")):
            if isinstance(at(overlay, "expression"), str):
                extensions[f"extensions.{at(overlay, 'key')}"] = cel_of(overlay["expression"]).inlined(
                    extensions
                )
    if len(imported) > 1:
        findings.add(
            ImportedFilter(
                name,
                title,
                path,
                "all",
                list(imported),
                span_of(trigger),
                WEBHOOKS,
                uses=tuple(imported),
                says="All interceptors of the trigger.",
            )
        )
    if not rows:
        findings.skip(f"{title}, {path}", say.NO_INTERCEPTORS, span_of(trigger))


def _parameters(parameter: Any) -> Iterator[tuple[str, Any]]:
    """What a CEL interceptor is given, in its present and its former notation."""
    if isinstance(at(parameter, "cel"), dict):
        yield from parameter["cel"].items()
    elif _name(parameter) == "cel":
        for given in items(at(parameter, "params")):
            yield texts(at(given, "name")), at(given, "value")


def _name(trigger: Any) -> str:
    return texts(at(trigger, "ref", "name")) or texts(at(trigger, "name"))


def _why_not(interceptor: Any) -> str:
    if at(interceptor, "cel") is not None or _name(interceptor) == "cel":
        return say.ONLY_OVERLAYS
    kind = _name(interceptor) or next(
        (
            key
            for key in ("github", "gitlab", "bitbucket", "slack", "webhook")
            if at(interceptor, key) is not None
        ),
        "",
    )
    return say.own_program(kind) if kind else say.NO_CEL_INTERCEPTOR
