"""Times front ends and the evaluator on one core: `python benchmarks/languages.py [seconds]`.

Filters a second that each front end parses (text or data to an untyped tree), and rows a second of the
evaluator.
"""

import argparse
import gc
import time
from collections.abc import Callable
from typing import Any

import predicat
from predicat.diagnostics import Source, Span
from predicat.language import LANGUAGES, Body
from predicat.language.pulsar import proto

EXPR = 'tp: PREDICATE predicate { ref: PROPERTY name: "a" op: IN values: "x" values: "y" }'
BODIES: dict[str, Any] = {
    "sql": "a > 5 AND s = 'x'",
    "cel": 'a > 5 && s == "x"',
    "pip": {"property": "a", "op": "IN", "values": ["x", "y"]},
    "pulsar": EXPR,
    "attributes": {"type": "a", "source": "b"},
    "cloudevents": {"all": [{"exact": {"type": "a"}}, {"prefix": {"source": "b"}}]},
    "cesql": "type = 'a' AND source LIKE 'b%'",
    "headers": {"and": [{"headerEquals": {"a": "x"}}, {"headerIn": {"b": ["y", "z"]}}]},
    "sns": {"a": ["x", {"prefix": "y"}], "b": [{"numeric": [">", 5]}]},
    "pubsub": 'attributes.a = "x" AND NOT attributes:b',
    "rabbitmq": "a.*.#",
    "labels": "a in (x, y), !b, c != z",
    "jms": "a > 5 AND s = 'x'",
    "kafka": {"type": "TopicNameMatches", "pattern": "a.*"},
}
FIELDS = {"a": "bigint", "d": "double", "s": "string"}


def rate(seconds: float, run: Callable[[], object]) -> float:
    """Runs a second, of at least so many seconds."""
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        for _ in range(50):
            run()
        count += 50
    return count / (time.perf_counter() - start)


def main(seconds: float) -> None:
    gc.disable()
    for name, body in BODIES.items():
        source = Source(name, body if isinstance(body, str) else "")
        given = Body(body, source, Span(source, 0, len(source.text)))
        print(
            f"{name}: {rate(seconds, lambda read=LANGUAGES[name].read, given=given: read(given)):,.0f} "
            "filters a second"
        )
    from google.protobuf import text_format

    message = proto.messages()["Expr"]
    data = text_format.Parse(EXPR, message()).SerializeToString()
    print(f"protobuf message alone: {rate(seconds, lambda: message.FromString(data)):,.0f} a second")
    source = Source("pulsar", "")
    given = Body(data, source, Span(source, 0, 0))
    print(
        f"pulsar from bytes: {rate(seconds, lambda: LANGUAGES['pulsar'].read(given)):,.0f} filters a second"
    )
    function = predicat.parse('a > 5 && s == "x"', "cel", FIELDS)
    row = {"a": 7, "s": "x"}
    print(f"evaluator: {rate(seconds, lambda: function.evaluate(row)):,.0f} rows a second")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "seconds", nargs="?", type=float, default=0.5, help="how long each of them is measured"
    )
    main(parser.parse_args().seconds)
