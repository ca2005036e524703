"""Spark: the functions of the extension. They convert strings byte by byte, without regular expressions, and
read numbers from JSON values.

They are in `spark_ext/scala/TextConversions.scala`, `JsonConversions.scala` and `JsonTexts.scala`.
"""

from __future__ import annotations

from predicat.backends.sql.builders import Sql, call
from predicat.backends.sql.functions import CONVERSIONS, OF_JSON, PARSE_JSON, Function, Runtime, by_operator
from predicat.backends.sql.renderer import Renderer
from predicat.ir.nodes import Call, Node, Variable
from predicat.ir.types import DATE, TIMESTAMP

# The conversions of strings in the extension.
NAMES = ("to_bigint", "to_double", "to_date", "to_timestamp", "int", "double", "timestamp")
# The conversions of JSON values (keys of `OF_JSON`) and their names in the extension.
_OF_DOCUMENTS = {
    "number": "number",
    "double": "json_double",
    "int": "json_int",
    "to_bigint": "json_to_bigint",
}


def _call(r: Renderer, function: Function, _: Call, arguments: list[Node]) -> Sql:
    return call(f"predicat_{function.name}", *map(r.node, arguments))


def _call_any(r: Renderer, function: Function, node: Call, arguments: list[Node]) -> Sql:
    if function not in _JSON:
        return _call(r, function, node, arguments)
    value_and_path = r.dialect.documents.text(r, arguments[0]).expressions[:2]
    return call(f"predicat_{function.name}", *value_and_path)


_TEXTS = tuple(Function(name, CONVERSIONS[name], ("s",)) for name in NAMES)
# The day of a timestamp in UTC, whatever the time zone of the session.
_DAY = Function("utc_date", Call(DATE, "to_date", (Variable(TIMESTAMP, "t"),)), ("t",))
_JSON = tuple(Function(name, OF_JSON[read], ("j",)) for read, name in _OF_DOCUMENTS.items())
_PARSED = Function("parse_json", PARSE_JSON, ("s",))
# All functions of the extension.
RUNTIME = Runtime(
    by_operator((*_TEXTS, _DAY, _PARSED, *_JSON)),
    _call_any,
    of_every_extension=Runtime(by_operator(_TEXTS), _call),
)
