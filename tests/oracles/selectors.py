"""Message selectors by the tests of ActiveMQ, Artemis and Qpid. `PREDICAT_ORACLES=... python -m
tests.oracles.selectors`

Each case is evaluated with its properties undeclared and declared: a declaration may make a type error, and
no other answer.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

import predicat
from tests.oracles import Difference, checkout, report

SUITES = {
    "apache+activemq": (
        "activemq-unit-tests/src/test/java/org/apache/activemq/selector/SelectorTest.java",
        "activemq-unit-tests/src/test/java/org/apache/activemq/selector/UnknownHandlingSelectorTest.java",
        "activemq-unit-tests/src/test/java/org/apache/activemq/selector/SelectorParserTest.java",
    ),
    "apache+activemq-artemis": (
        "artemis-selector/src/test/java/org/apache/activemq/artemis/selector/SelectorTest.java",
        "artemis-selector/src/test/java/org/apache/activemq/artemis/selector/UnknownHandlingSelectorTest.java",
        "artemis-selector/src/test/java/org/apache/activemq/artemis/selector/SelectorParserTest.java",
        "artemis-server/src/test/java/org/apache/activemq/artemis/core/filter/impl/FilterTest.java",
    ),
    "apache+qpid-broker-j": (
        "broker-core/src/test/java/org/apache/qpid/server/filter/JMSSelectorFilterSyntaxTest.java",
        "broker-core/src/test/java/org/apache/qpid/server/SelectorParserTest.java",
    ),
    "apache+qpid-cpp": ("src/tests/Selector.cpp",),
}
# What differs, by a pattern for the selector.
REASONS = (
    (r"XPATH|REGEX\(|INLIST\(|DoesNotExist\(|SPLIT\(", "functions and XPATH are ActiveMQ's own"),
    (r"^17/4=4$", "Qpid's C++ broker divides whole numbers without a rest, the others as doubles"),
    (
        r"\d+\.\d*[fdFD]?>0x800p-3|0x1000_0000p0|_020\.4f",
        "hexadecimal and grouped digits in doubles are Qpid's C++ broker's own",
    ),
    (
        r"0x8000_0000_0000_000",
        "a whole number of 64 bits with the sign's bit is refused, not read as a negative one",
    ),
    (r"IS (NOT )?NULL", "IS NULL asks about a property, as the specification has it"),
    (
        r"(?i)^-?\(?('[^']*'|[\d.]+|-\d+|true) (not )?(in|like|between|is)\b",
        "IN, LIKE and IS NULL ask about a property, and an order has numbers, as the specification has it",
    ),
    (r"(?i)'[^']*' ?[<>]|between (and )?'|between \d+ and 'true'", "texts are in no order"),
    (r"(?i) in \('hello', 'there', 1", "IN lists texts, as the specification has it"),
    (r"^-?\(?[\d.]+\)?$|^-\(X or Y\)$|or 567$|and 'hello out there'$", "a number or a text is no condition"),
    (r"(?i)escape '[%_]'$", "ESCAPE '%' and ESCAPE '_', which brokers read in different ways, are refused"),
    (r"(?i)escape ''$", "ESCAPE takes one character"),
    (r"^'hello' = 19.0$", "a constant text and a constant number are not compared"),
)
# Where brokers answer differently, and the answer here is that of the others.
RULINGS = ("Qpid's C++ broker divides whole numbers without a rest, the others as doubles",)


class Case(Struct, frozen=True):
    """`wanted` is TRUE, FALSE, UNKNOWN (exactly), "no match" (FALSE or UNKNOWN), "valid" or "refused"."""

    place: str
    selector: str
    row: dict[str, Any]
    wanted: str


_TEXT = r'"(?:[^"\\]|\\.)*"'
_VALUE = rf"(?:\((?:byte|short)\) ?)?({_TEXT}|true|false|null|-?\d+(?:\.\d+)?)"
_EVENTS = re.compile(
    "|".join(
        (
            r"(?P<method>\bvoid \w+\(|QPID_AUTO_TEST_CASE\()",
            r"(?P<fresh>\bmessage = (?:createMessage|new CoreMessage|new ActiveMQTextMessage)\b)",
            (
                r"(?P<set>\.set(?:Byte|Short|Int|Long|Float|Double|String|Boolean|Object)Property"
                rf"\(({_TEXT}), {_VALUE}\))"
            ),
            rf"(?P<header>\.setJMS(Type|MessageID)\(({_TEXT})\))",
            (
                rf"(?P<put>[pP]ut(?:String|Boolean)Property\((?:SimpleString\.of\()?({_TEXT})\)?, "
                rf"(?:SimpleString\.of\()?{_VALUE})"
            ),
            rf"(?P<when>when\(message\.getHeader\(({_TEXT})\)\)\.thenReturn\({_VALUE}\))",
            rf"(?P<env>env\.set\(({_TEXT}), {_VALUE}\))",
            rf"(?P<create>filter = FilterImpl\.createFilter\(SimpleString\.of\(({_TEXT})\)\))",
            r"(?P<match>assert(True|False)\(filter\.match\(message\))",
            rf"(?P<assert>assertSelector\((?:message, )?({_TEXT}),\s*(true|false)\))",
            rf"(?P<known>assertSelectorEvaluatesTo(True|False|Unknown)\(({_TEXT})\))",
            rf"(?P<new>assert(True|False)\(new JMSSelectorFilter\(({_TEXT})\)\.matches\(message\))",
            rf"(?P<eval>BOOST_CHECK\((!?)qb::Selector\(({_TEXT})\)\.eval\(env\)\))",
            rf"(?P<valid>testPass\(({_TEXT})\)|BOOST_CHECK_NO_THROW\(qb::Selector e\(({_TEXT})\)\))",
            (
                r"(?P<bad>(?:testFail|testInvalidFilter|assertInvalidSelector)\((?:message, "
                rf")?({_TEXT})\)|BOOST_CHECK_THROW\(qb::Selector(?: e)?\(({_TEXT})\))"
            ),
        )
    )
)


def cases() -> Iterator[Case]:
    """The cases of every suite that is there."""
    for name, paths in SUITES.items():
        if (folder := checkout(name)) is None:
            continue
        for path in paths:
            yield from read(folder / path)


def read(path: Path) -> Iterator[Case]:
    """The cases of a file, in Java or C++, with the properties that were set before each of them."""
    text = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    base = _base(text)
    row, selector = dict(base), ""
    for found in _EVENTS.finditer(text):
        event = str(found.lastgroup)
        parts = [part for part in found.groups() if part is not None and part != found[event]]
        place = f"{path.name}:{text.count(chr(10), 0, found.start()) + 1}"
        match event:
            case "method" | "fresh":
                row = dict(base)
                selector = selector if event == "fresh" else ""
            case "set" | "put" | "when" | "env":
                row[_value(parts[0])] = _value(parts[1])
            case "header":
                row[f"JMS{parts[0]}"] = _value(parts[1])
            case "create":
                selector = _value(parts[0])
            case "match" if selector and "AMQ" not in selector:
                yield Case(place, selector, dict(row), "TRUE" if parts[0] == "True" else "no match")
            case "assert":
                yield Case(place, _value(parts[0]), dict(row), "TRUE" if parts[1] == "true" else "no match")
            case "known":
                yield Case(place, _value(parts[1]), dict(row), parts[0].upper())
            case "new":
                yield Case(place, _value(parts[1]), dict(row), "TRUE" if parts[0] == "True" else "no match")
            case "eval":
                yield Case(place, _value(parts[1]), dict(row), "TRUE" if parts[0] != "!" else "no match")
            case "valid" | "bad":
                yield Case(place, _value(parts[0]), {}, "valid" if event == "valid" else "refused")
            case _:
                pass


def _base(text: str) -> dict[str, Any]:
    """The properties of every message: those that its maker or the set-up sets."""
    found = re.search(r"(?:\w+ createMessage\(\)|void setUp\(\))[^{;]*\{(.*?)\n\s{3,4}\}", text, re.DOTALL)
    row: dict[str, Any] = {}
    for event in _EVENTS.finditer(found[1]) if found else ():
        parts = [part for part in event.groups() if part is not None and part != event[str(event.lastgroup)]]
        if event.lastgroup == "set":
            row[_value(parts[0])] = _value(parts[1])
        elif event.lastgroup == "header":
            row[f"JMS{parts[0]}"] = _value(parts[1])
    return row


def _value(text: str) -> Any:
    constants = {"true": True, "false": False, "null": None}
    return constants[text] if text in constants else ast.literal_eval(text.replace("\n", ""))


# --- running them

TYPES: dict[type, str] = {bool: "boolean", int: "bigint", float: "double", str: "string"}


def outcome(case: Case, fields: dict[str, str] | None) -> str:
    """TRUE, FALSE, UNKNOWN, "refused", or "type error" for a declared property of another type."""
    try:
        found = predicat.parse(case.selector, "jms", fields).evaluate(case.row)
    except predicat.PredicatError as error:
        return (
            "type error"
            if fields is not None and any(item.code == "type-mismatch" for item in error.diagnostics)
            else "refused"
        )
    return {True: "TRUE", False: "FALSE", None: "UNKNOWN"}[found]


def agrees(wanted: str, got: str) -> bool:
    return (
        wanted == got
        or (wanted == "no match" and got in ("FALSE", "UNKNOWN"))
        or (wanted == "valid" and got != "refused")
    )


def difference(case: Case) -> Difference | None:
    free = outcome(case, None)
    if free == "refused":
        got, wrong = free, False
    else:
        names = dict.fromkeys(predicat.parse(case.selector, "jms").fields, "json")
        typed = outcome(
            case,
            {**names, **{key: TYPES[type(value)] for key, value in case.row.items() if value is not None}},
        )
        got = free if typed in (free, "type error", "refused") else f"{free}, and {typed} where declared"
        wrong = not agrees(case.wanted, got) and case.wanted != "refused"
    if agrees(case.wanted, got):
        return None
    reason = next((reason for pattern, reason in REASONS if re.search(pattern, case.selector)), None)
    return Difference(case.place, case.selector, case.wanted, got, wrong and reason not in RULINGS, reason)


def main() -> int:
    """The number of differences that are wrong or unexplained."""
    every = list(cases())
    return report(
        "message selectors", len(every), [found for case in every if (found := difference(case)) is not None]
    )


if __name__ == "__main__":
    sys.exit(main() > 0)
