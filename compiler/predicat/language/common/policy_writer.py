"""Writes the policies of Amazon SNS and the patterns of Amazon EventBridge."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier, Variable, walk
from predicat.ir.types import JSON
from predicat.language.common.key_tests import (
    KeyTest,
    denied_test,
    is_json_equality,
    negated,
    operand_of_is_true,
    refuse,
    test_of,
    without_conversions,
)
from predicat.language.common.policy_spelling import AFFIXES, EQUAL_IN_ANY_CASE, NUMERIC
from predicat.semantics import like


class NoCondition(Exception):
    """A test that no value of a policy expresses."""


def sns(node: Node) -> str:
    """A filter policy, as JSON; with its scope, if it is for the message body. Raises Unsupported."""
    policy = _Writer("sns").policy(node, None)
    if any(isinstance(part, Call) and part.op == "json_values" for part in walk(node)):
        policy = {"FilterPolicyScope": "MessageBody", "FilterPolicy": policy}
    return json.dumps(policy, ensure_ascii=False)


def eventbridge(node: Node) -> str:
    """An event pattern, as JSON. Raises Unsupported."""
    return json.dumps(_Writer("eventbridge").policy(node, None), ensure_ascii=False)


class _Writer:
    def __init__(self, language: str) -> None:
        self.language = language
        self.conversions = ("", "to_double") if language == "sns" else ("",)

    def policy(self, node: Node, base: Node | None) -> dict[str, Any]:
        """The policy of a condition on the row, or on an element."""
        policy: dict[str, Any] = {}
        for part in _parts(node, "and"):
            self.put(policy, self.entry(part, base), part)
        return policy

    def put(self, policy: dict[str, Any], more: dict[str, Any], part: Node) -> None:
        """Adds the keys of a part. A second `$or` goes into each option of the first."""
        for key, value in more.items():
            if key == "$or" and key in policy:
                for option in policy[key]:
                    self.put(option, {key: value}, part)
            elif key in policy:
                policy[key] = _joined(policy[key], value)
                if policy[key] is None:
                    raise refuse(self.language, part, say.POLICY_JOINS)
            else:
                policy[key] = value

    def entry(self, part: Node, base: Node | None) -> dict[str, Any]:
        options = [self.single(one, base) for one in _parts(part, "or")]
        if len(options) == 1:
            return options[0]
        keys = {key for option in options for key in option}
        if len(keys) == 1 and all(isinstance(value, list) for option in options for value in option.values()):
            (key,) = keys
            return {key: [value for option in options for value in option[key]]}
        return {"$or": options}

    def single(self, node: Node, base: Node | None) -> dict[str, Any]:
        """A policy of one key, or of several joined by AND."""
        if isinstance(node, Call) and node.op == "and":
            return self.policy(node, base)
        other = negated(node)
        quantifier = other if isinstance(other, Quantifier) else node
        if isinstance(quantifier, Quantifier):
            key = self.key(quantifier, base)
            content = self.content(quantifier)
            if other is None:
                return {key: content}
            return {key: _absent(content, lambda: refuse(self.language, node, say.POLICY_HAS_NO_CONDITION))}
        if base is not None:
            raise refuse(self.language, node, say.POLICY_TESTS_KEYS)
        return self.flat(node)

    def key(self, node: Quantifier, base: Node | None) -> str:
        """The key whose values a macro iterates over."""
        source = node.source
        if node.kind == "any" and isinstance(source, Call) and source.op == "json_values":
            holder, *names = source.args
            if (
                names
                and isinstance(names[0], Literal)
                and (holder == base if base is not None else isinstance(holder, Field))
            ):
                return str(names[0].value)
            if not names and base is None and isinstance(holder, Field):
                return holder.decl.name
        raise refuse(self.language, node, say.POLICY_ASKS_FOR_ONE)

    def content(self, node: Quantifier) -> Any:
        """The required values of a key, or its nested keys."""
        variable = Variable(JSON, node.variable)
        body = operand_of_is_true(node.body) or node.body
        if any(isinstance(part, Quantifier) for part in walk(body)):
            return self.policy(body, variable)
        try:
            return [value for part in _parts(body, "or") for value in _conditions(part, node.variable)]
        except NoCondition:
            raise refuse(self.language, node.body, say.POLICY_HAS_NO_CONDITION) from None

    def flat(self, node: Node) -> dict[str, Any]:
        """The test of a field with a single value."""
        if is_json_equality(operand_of_is_true(node)):
            raise refuse(
                self.language, node, say.POLICY_HAS_NO_CONDITION
            )  # a policy takes an array's element
        node = without_conversions(node)
        denied = denied_test(node)
        if denied is not None and (denied.op in ("eq", "in") or denied.op in _AFFIXES):
            return {denied.key: [_denied(denied)]}
        inner = negated(node)
        alone = test_of(inner if inner is not None else node)
        if alone is not None and alone.op == "is_null":
            if isinstance(alone.node, Call) and alone.node.args[0].type == JSON:
                raise refuse(self.language, node, say.POLICY_EXISTS)
            return {alone.key: [{"exists": inner is not None}]}
        inner = operand_of_is_true(node)
        test = test_of(inner) if inner is not None else None
        of_number = self.of_number(inner)
        if of_number is not None:
            return of_number
        if test is None:
            reason = say.POLICY_IS_TWO_VALUED
            raise refuse(self.language, node, reason if test_of(node) is not None else say.NO_TEST_OF_ONE_KEY)
        texts = not test.convert and all(isinstance(value, str) for value in test.values)
        if test.op in ("eq", "in") and texts:
            return {test.key: list(test.values)}
        if test.op in _AFFIXES and texts:
            return {test.key: [{_AFFIXES[test.op]: test.values[0]}]}
        raise refuse(self.language, node, say.POLICY_HAS_NO_CONDITION)

    def of_number(self, node: Node | None) -> dict[str, Any] | None:
        """The test of a field that is a number; None for any other node."""
        inner = negated(node) if node is not None else None
        test = test_of(inner or node) if node is not None else None
        # SNS compares string attributes as numbers; EventBridge compares numbers only.
        if test is None or not all(map(_is_number, test.values)) or test.convert not in self.conversions:
            return None
        if test.op in NUMERIC and inner is None:
            return {test.key: [{"numeric": [NUMERIC[test.op], test.values[0]]}]}
        if test.op == "in" and inner is None:
            return {test.key: [{"numeric": ["=", value]} for value in test.values]}
        if (test.op == "ne" and inner is None) or (test.op in ("eq", "in") and inner is not None):
            return {test.key: [_denied(test)]} if not test.convert else None
        return None


def _denied(test: KeyTest) -> dict[str, Any]:
    """A test of a key that is there, and whose value is not what another test asks for."""
    if test.op in _AFFIXES:
        return {"anything-but": {_AFFIXES[test.op]: test.values[0]}}
    values = list(test.values)
    return {"anything-but": values if len(values) > 1 else values[0]}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _joined(one: Any, other: Any) -> list[Any] | None:
    """What one key must fulfil, as its own test and as another; None if no list of values says so."""
    for there, rest in ((one, other), (other, one)):
        if there == [{"exists": True}] and isinstance(rest, list) and rest != [{"exists": False}]:
            return [value for value in rest if value != {"exists": False}]
    tests = [next(iter(part[0].items())) for part in (one, other) if _is_one_test(part)]
    if len(tests) != 2 or tests[0][0] != tests[1][0]:
        return None
    (name, first), (_, second) = tests
    if name == "numeric" and len(first) == len(second) == 2:
        lower, upper = sorted((first, second), reverse=True)
        if lower[0][0] == ">" and upper[0][0] == "<" and lower[1] < upper[1]:
            return [{name: [*lower, *upper]}]
    if name == "anything-but" and not any(isinstance(part, dict) for part in (first, second)):
        listed = [part if isinstance(part, list) else [part] for part in (first, second)]
        return [{name: [*listed[0], *listed[1]]}]
    return None


def _is_one_test(part: Any) -> bool:
    return isinstance(part, list) and len(part) == 1 and isinstance(part[0], dict)


_AFFIXES = {**AFFIXES, "equals_ci": EQUAL_IN_ANY_CASE}


def _parts(node: Node, op: str) -> tuple[Node, ...]:
    inner = operand_of_is_true(node) or node
    return inner.args if isinstance(inner, Call) and inner.op == op else (node,)


def _absent(content: Any, problem: Callable[[], Exception]) -> Any:
    """The negation of an `exists` test on a key or a nested key. Raises `problem()` for other content."""
    if content == [{"exists": True}]:
        return [{"exists": False}]
    if isinstance(content, dict) and len(content) == 1:
        ((key, inner),) = content.items()
        return {key: _absent(inner, problem)}
    raise problem()


def _conditions(node: Node, variable: str) -> list[Any]:
    """The values of a policy with the same meaning as a condition on a value."""
    node = operand_of_is_true(node) or node
    inner = negated(node)
    if inner is not None:
        return [_anything_but(operand_of_is_true(inner) or inner, variable)]
    if not isinstance(node, Call):
        raise NoCondition
    if node.op == "and":
        return [{"numeric": [part for arg in node.args for part in _comparison(arg, variable)]}]
    if node.op == "is_null" and _is(node.args[0], variable):
        return [None]
    if node.op == "json_boolean" and _is(node.args[0], variable):
        return [True]
    if len(node.args) != 2:
        raise NoCondition
    read, wanted = node.args
    if not isinstance(read, Call) or not _is(read.args[0], variable):
        raise NoCondition
    return _of(node.op, read.op, _constants(wanted), lambda: _comparison(node, variable))


def _of(op: str, read: str, values: list[Any], comparison: Callable[[], list[Any]]) -> list[Any]:
    if read == "json_string" and op in ("eq", "in"):
        return values
    if read in ("json_number", "json_boolean") and op == "eq":
        return [
            int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value
            for value in values
        ]
    if read == "json_number":
        return [{"numeric": comparison()}]
    if read == "json_string" and op in _TEXTS:
        return [_TEXTS[op](values[0])]
    raise NoCondition


def _comparison(node: Node, variable: str) -> list[Any]:
    if (
        not isinstance(node, Call)
        or node.op not in NUMERIC
        or not isinstance(node.args[0], Call)
        or not _is(node.args[0].args[0], variable)
    ):
        raise NoCondition
    if node.args[0].op != "json_number":
        raise NoCondition
    return [NUMERIC[node.op], *_constants(node.args[1])]


def _anything_but(node: Node, variable: str) -> dict[str, Any]:
    """The test of a value that is not an object, not an array, and not one of the values."""
    parts = _parts(node, "or")
    kinds = {
        str(part.args[1].value)
        for part in parts
        if _is_kind(part, variable) and isinstance(part, Call) and isinstance(part.args[1], Literal)
    }
    if kinds != {"object", "array"}:
        raise NoCondition
    values = [
        value for part in parts if not _is_kind(part, variable) for value in _conditions(part, variable)
    ]
    if not values:
        return {"exists": True}
    if not any(isinstance(value, dict) for value in values):
        return {"anything-but": values if len(values) > 1 else values[0]}
    names = {name for value in values if isinstance(value, dict) for name in value}
    if (
        len(names) > 1
        or not all(isinstance(value, dict) for value in values)
        or names & {"numeric", "exists", "anything-but"}
    ):
        raise NoCondition
    (name,) = names
    wanted = [value[name] for value in values]
    return {"anything-but": {name: wanted if len(wanted) > 1 else wanted[0]}}


def _is_kind(node: Node, variable: str) -> bool:
    return isinstance(node, Call) and node.op == "json_is" and _is(node.args[0], variable)


def _is(node: Node, variable: str) -> bool:
    return isinstance(node, Variable) and node.name == variable


def _constants(node: Node) -> list[Any]:
    parts = node.items if isinstance(node, Items) else (node,)
    if not all(isinstance(part, Literal) and part.value is not None for part in parts):
        raise NoCondition
    return [part.value for part in parts if isinstance(part, Literal)]


def _wildcard(pattern: str) -> dict[str, str]:
    """A LIKE pattern as a wildcard."""
    pieces = re.findall(r"\\.|[%_]|[^\\%_]+", pattern, re.DOTALL)
    if "_" in pieces or "%%" in pattern.replace("\\%", ""):
        raise NoCondition
    return {
        "wildcard": "".join(
            "*" if piece == "%" else _escaped(piece[1:] if piece[0] == "\\" else piece) for piece in pieces
        )
    }


def _escaped(text: str) -> str:
    return re.sub(r"([*\\])", r"\\\1", text)


def _any_case_suffix(pattern: str) -> dict[str, Any]:
    rest = pattern.removeprefix("%")
    text = re.sub(r"\\(.)", r"\1", rest, flags=re.DOTALL)
    if rest == pattern or like.escaped(text) != rest:
        raise NoCondition
    return {"suffix": {"equals-ignore-case": text}}


_TEXTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "starts_with": lambda text: {"prefix": text},
    "ends_with": lambda text: {"suffix": text},
    "contains": lambda text: {"wildcard": f"*{_escaped(text)}*"},
    "equals_ci": lambda text: {"equals-ignore-case": text},
    "starts_with_ci": lambda text: {"prefix": {"equals-ignore-case": text}},
    "like": _wildcard,
    "like_ci": _any_case_suffix,
}
