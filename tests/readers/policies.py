"""Filter policies of Amazon SNS ("Subscription filter policies") and event patterns of Amazon EventBridge
("Event patterns", "Comparison operators").

Each key needs one of its values, each option of `$or` is a policy. A missing key fulfils only
`exists: false`. SNS compares a string attribute with a number as a number.
"""

import ipaddress
import json
import operator
import re
from collections.abc import Mapping
from typing import Any


def accepts(text: str, message: Mapping[str, Any]) -> bool:
    return _policy(json.loads(text), message)


def sns(text: str, message: Mapping[str, Any]) -> bool:
    """A policy on message attributes."""
    return _policy(json.loads(text), message, numbers=True)


def _policy(policy: Mapping[str, Any], message: Any, *, numbers: bool = False) -> bool:
    if not isinstance(message, Mapping):
        return False
    for key, wanted in policy.items():
        if key == "$or":
            fulfilled = any(_policy(option, message, numbers=numbers) for option in wanted)
        elif isinstance(wanted, Mapping):
            inner = message.get(key)
            elements = inner if isinstance(inner, list) else [inner]
            fulfilled = any(_policy(wanted, element, numbers=numbers) for element in elements)
        else:
            found = message.get(key)
            values = found if isinstance(found, list) else [] if found is None else [found]
            fulfilled = any(_condition(one, values, numbers=numbers) for one in wanted)
        if not fulfilled:
            return False
    return True


def _condition(wanted: Any, values: list[Any], *, numbers: bool) -> bool:
    if isinstance(wanted, Mapping) and "exists" in wanted:
        return bool(values) is wanted["exists"]
    return any(_fits(wanted, value, numbers=numbers) for value in values)


def _fits(wanted: Any, value: Any, *, numbers: bool) -> bool:
    if not isinstance(wanted, Mapping):
        number = isinstance(wanted, int | float) and not isinstance(wanted, bool)
        return _numeric(value, ["=", wanted], numbers=numbers) if number else _same(value, wanted)
    ((name, inner),) = wanted.items()
    if name == "anything-but":
        refused = inner if isinstance(inner, list) else [inner]
        if isinstance(inner, Mapping):
            ((test, texts),) = inner.items()
            refused = [{test: one} for one in (texts if isinstance(texts, list) else [texts])]
        return not any(_fits(one, value, numbers=numbers) for one in refused)
    if name == "numeric":
        return _numeric(value, inner, numbers=numbers)
    if not isinstance(value, str):
        return False
    if isinstance(inner, Mapping):
        return _TEXTS[name](value.casefold(), inner["equals-ignore-case"].casefold())
    return _TEXTS[name](value, inner)


def _same(value: Any, wanted: Any) -> bool:
    return type(value) is type(wanted) and value == wanted


_ORDERS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def _numeric(value: Any, tests: list[Any], *, numbers: bool) -> bool:
    if isinstance(value, str) and numbers and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return all(_ORDERS[sign](value, limit) for sign, limit in zip(tests[::2], tests[1::2], strict=True))


def _wildcard(value: str, pattern: str) -> bool:
    pieces = re.findall(r"\\(.)|(\*)|(.)", pattern, re.DOTALL)
    return bool(
        re.fullmatch(
            "".join(".*" if star else re.escape(same or char) for same, star, char in pieces),
            value,
            re.DOTALL,
        )
    )


def _network(value: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(value) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


_TEXTS = {
    "prefix": str.startswith,
    "suffix": str.endswith,
    "equals-ignore-case": lambda value, wanted: value.casefold() == wanted.casefold(),
    "wildcard": _wildcard,
    "cidr": _network,
}
