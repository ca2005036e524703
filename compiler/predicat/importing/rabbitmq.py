"""RabbitMQ: the bindings of a `definitions.json`. Messages pass to a queue, or another exchange, by what
the exchange's type asks.
"""

from typing import Any

from predicat.diagnostics.messages import importing as say
from predicat.importing.documents import Document
from predicat.importing.located import at, entries, items, listed, mapping, source_of, span_of, text, texts
from predicat.importing.model import Findings, ImportedFilter, Skip
from predicat.importing.rows import MESSAGES

_BUILT_IN = {
    "amq.topic": "topic",
    "amq.direct": "direct",
    "amq.fanout": "fanout",
    "amq.headers": "headers",
    "amq.match": "headers",
    "amq.rabbitmq.trace": "topic",
}
_WILDCARDS = ("*", "#")


def recognises(document: Document) -> bool:
    """Whether a document has exchanges and bindings."""
    data = document.data
    return isinstance(data.get("bindings"), list) and (
        "exchanges" in data or "rabbit_version" in data or "rabbitmq_version" in data
    )


def read(document: Document, findings: Findings) -> None:
    """Takes a filter for each binding."""
    types = {
        (at(exchange, "vhost"), at(exchange, "name")): texts(at(exchange, "type"))
        for exchange in items(document.data.get("exchanges"))
    }
    bindings = items(document.data.get("bindings"))
    if not bindings:
        findings.skip("definitions", say.NO_BINDINGS, document.span)
    for number, binding in enumerate(bindings):
        source, target = texts(at(binding, "source")), texts(at(binding, "destination"))
        kind = types.get((at(binding, "vhost"), source)) or _BUILT_IN.get(
            source, "direct" if not source else ""
        )
        title = f"binding of {source or 'the default exchange'} ({kind or 'unknown'}) to {target}"
        try:
            language, body = _body(kind, binding)
        except Skip as reason:
            findings.skip(title, reason.reason, span_of(binding))
            continue
        span = span_of(body, span_of(binding))
        own = source_of(body) if isinstance(body, str) and span.text.strip("\"'") == body else None
        findings.add(
            ImportedFilter(
                f"{source}_to_{target}", title, f"bindings[{number}]", language, body, span, MESSAGES, own
            )
        )


def _body(kind: str, binding: Any) -> tuple[str, Any]:
    key = at(binding, "routing_key")
    match kind:
        case "topic":
            return "rabbitmq", key
        case "fanout":
            return "rabbitmq", text("#", span_of(binding))
        case "direct" if any(word in texts(key).split(".") for word in _WILDCARDS):
            raise Skip(say.WILDCARD_IN_DIRECT_KEY)
        case "direct":
            return "rabbitmq", key
        case "headers":
            return "headers", _headers(at(binding, "arguments"), binding)
    raise Skip(say.other_exchange(kind) if kind else say.EXCHANGE_NOT_DEFINED)


def _headers(arguments: Any, binding: Any) -> Any:
    """The arguments of a binding to a headers exchange: all of them, or any with `x-match: any`."""
    mode = texts(at(arguments, "x-match")) or "all"
    tests = []
    for name, value in entries(arguments):
        if name.startswith("x-"):
            if name != "x-match" and mode.endswith("-with-x"):
                raise Skip(say.own_header(mode, name))
            continue
        if not isinstance(value, str):
            raise Skip(say.header_no_text(name, value))
        span = span_of(value)
        tests.append(mapping([("headerEquals", mapping([(name, value, span)], span), span)], span))
    if not tests:
        raise Skip(say.no_header(mode.startswith("all")))
    place = span_of(arguments, span_of(binding))
    return (
        tests[0]
        if len(tests) == 1
        else mapping([("or" if mode.startswith("any") else "and", listed(tests, place), place)], place)
    )
