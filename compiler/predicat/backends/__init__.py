"""Back ends: typed nodes to SQL dialects and other languages."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from predicat.diagnostics import PredicatError, Source, Span, Unsupported
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Node
from predicat.passes.accept import accepting, deciding

if TYPE_CHECKING:
    from predicat.backends.sql.base import Dialect

DIALECTS = ("spark", "postgres", "duckdb")
"""The SQL dialects, by name."""


@cache
def dialect(name: str) -> Dialect:
    """The SQL dialect of a name in DIALECTS; its module loads on first use."""
    if name == "spark":
        from predicat.backends.sql.spark import SPARK  # noqa: PLC0415  # sqlglot takes a tenth of a second to load

        return SPARK
    if name == "duckdb":
        from predicat.backends.sql.duckdb import DUCKDB  # noqa: PLC0415  # as above

        return DUCKDB
    from predicat.backends.sql.postgres import POSTGRES  # noqa: PLC0415  # as above

    return POSTGRES


TWO_VALUED = ("cloudevents", "attributes", "headers", "pubsub", "labels", "sns", "eventbridge", "kafka")
WRITERS = {
    "cel": ("cel.writer", "write"),
    "jms": ("jms.writer", "write"),
    "servicebus": ("servicebus.writer", "write"),
    "pip": ("pulsar.writer", "write_pip"),
    "pulsar": ("pulsar.writer", "write"),
    "pulsar:text": ("pulsar.writer", "write_text"),
    "pulsar:binary": ("pulsar.writer", "write_binary"),
    "cloudevents": ("common.keyed_writer", "cloudevents"),
    "attributes": ("common.keyed_writer", "attributes"),
    "headers": ("common.keyed_writer", "headers"),
    "pubsub": ("common.keyed_writer", "pubsub"),
    "labels": ("common.keyed_writer", "labels"),
    "sns": ("common.policy_writer", "sns"),
    "eventbridge": ("common.policy_writer", "eventbridge"),
    "cesql": ("cesql.writer", "write"),
    "rabbitmq": ("rabbitmq.writer", "rabbitmq"),
    "kafka": ("rabbitmq.writer", "kafka"),
}
"""The languages that a predicate can be written in, and the module and function of each. pulsar has three
formats.
"""


def writer(language: str) -> Callable[[Node], str]:
    """The function that writes a typed node in a language; one that always refuses where there is none."""
    if language not in WRITERS:

        def refuse(node: Node) -> str:
            raise Unsupported.of(say.read_only(node.span, language, ", ".join(WRITERS)))

        return refuse
    from predicat.language.common.key_tests import refuse_shared_keys  # noqa: PLC0415  # only where something is written

    module, function = WRITERS[language]
    write: Callable[[Node], str] = getattr(import_module(f"predicat.language.{module}"), function)
    # What is written is TRUE for the same rows; FALSE and UNKNOWN, which both reject, are told apart no more.
    prepare = deciding if language in TWO_VALUED else accepting

    def written(node: Node) -> str:
        if language != "cel":
            refuse_shared_keys(language, node)
        text = write(prepare(node))
        if language in TWO_VALUED:
            _within_limits(node, language, text)
        return text

    return written


def _within_limits(node: Node, language: str, text: str) -> None:
    """Languages bound the number of keys, or the length: what is written must be a body of them."""
    from predicat.language import LANGUAGES, Body  # noqa: PLC0415  # only where something is written

    source = Source(language, text)
    value = text if LANGUAGES[language].shape != "data" else json.loads(text)
    try:
        LANGUAGES[language].read(Body(value, source, Span(source, 0, len(text))))
    except PredicatError as error:
        raise Unsupported.of(
            msg.unsupported(node.span, language, "this condition", error.diagnostics[0].message)
        ) from None
