"""The tests of the Event Ruler as an oracle of EventBridge patterns: `PREDICAT_ORACLES=FOLDER python -m
tests.oracles.event_ruler`.

FOLDER/aws+event-ruler is a checkout. Its JUnit methods are interpreted as far as they add rules to a machine,
ask it for the
rules that match an event, and assert something of the answer; the machine is predicat. What a method does
beside that is passed over.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import predicat
from tests.oracles import checkout, report
from tests.oracles.patterns import Report, in_duckdb, pattern

REPOSITORY = "aws+event-ruler"
TESTS = "src/test/software/amazon/event/ruler"
CLASSES = (
    "ACMachineTest",
    "MachineTest",
    "RulerTest",
    "GenericMachineTest",
    "JsonRuleCompilerTest",
    "CIDRTest",
)

_TWICE = "a key that is there twice, also in $or, is an error"
EXPLAINED = dict.fromkeys(
    (
        "JsonRuleCompilerTest.testWithRuleOverride",
        "ACMachineTest.intensitiesACTest",
        "ACMachineTest.testDuplicateKeyLastOneWins",
    ),
    _TWICE,
)


class Unknown(Exception):
    """A part of a method that is not about rules and events."""


class Machine:
    """The rules by name. `known`: whether all of them are; the ruler takes and deletes rules in forms that
    have no JSON.
    """

    def __init__(self) -> None:
        self.rules: dict[str, list[str]] = {}
        self.known = True

    def add(self, name: str, rule: str) -> None:
        self.rules.setdefault(name, []).append(rule)

    def delete(self, name: str, rule: str) -> None:
        """Deletes a whole rule; a part of one, as the ruler can, is not followed."""
        data = json.loads(rule)
        kept = [one for one in self.rules.get(name, []) if json.loads(one) != data]
        self.known = self.known and len(kept) < len(self.rules.get(name, []))
        self.rules[name] = kept

    def matching(self, event: str) -> list[str]:
        if not self.known:
            raise Unknown
        return [
            name for name, rules in self.rules.items() if any(self.matches(rule, event) for rule in rules)
        ]

    def matches(self, rule: str, event: str) -> bool:
        found = pattern(rule)
        if isinstance(found, str):
            raise Refused(rule, found)
        document = json.loads(event)
        answer = found.evaluate({"event": document}) is True
        ASKED.append((found, document, answer))
        return answer


class Refused(Exception):
    """A rule that predicat takes for an error."""


ASKED: list[tuple[predicat.Predicate, Any, bool]] = []


class Method:
    """Runs one method."""

    def __init__(self, report: Report, place: str, constants: dict[str, Any]) -> None:
        self.report, self.place, self.names = report, place, dict(constants)
        self.steps = 0

    def block(self, statements: Any) -> None:
        for statement in statements or []:
            self.steps += 1
            if self.steps > 20_000:
                raise Unknown
            self.statement(statement)

    def attempt_block(self, statements: Any) -> None:
        try:
            self.block(statements)
        except Unknown:
            return

    def statement(self, node: Any) -> None:
        kind = type(node).__name__
        if kind in ("LocalVariableDeclaration", "FieldDeclaration"):
            for one in node.declarators:
                self.names[one.name] = self.attempt(one.initializer) if one.initializer is not None else None
        elif kind == "StatementExpression":
            self.attempt(node.expression)
        elif kind == "BlockStatement":
            self.block(node.statements)
        elif kind == "ForStatement" and type(node.control).__name__ == "EnhancedForControl":
            values = self.attempt(node.control.iterable)
            for value in values if isinstance(values, list) else []:
                self.names[node.control.var.declarators[0].name] = value
                self.block(node.body.statements if hasattr(node.body, "statements") else [node.body])
        elif kind == "ForStatement":
            self.counted(node)
        elif kind == "IfStatement":
            found = self.attempt(node.condition)
            if found is True:
                self.statement(node.then_statement)
            elif found is False and node.else_statement is not None:
                self.statement(node.else_statement)
        elif kind == "TryStatement":
            self.block(node.block)

    def counted(self, node: Any) -> None:
        control = node.control
        for one in control.init.declarators:
            self.names[one.name] = self.attempt(one.initializer)
        while self.attempt(control.condition) is True:
            self.block(node.body.statements if hasattr(node.body, "statements") else [node.body])
            for one in control.update:
                self.attempt(one)

    def attempt(self, node: Any) -> Any:
        """The value of an expression; UNKNOWN where it is about something else."""
        try:
            return self.value(node)
        except Refused as error:
            self.report.compared(self.at(node), error.args[0], "accepted", "refused")
            return UNKNOWN
        except (Unknown, KeyError, IndexError, TypeError, AttributeError, ValueError):
            return UNKNOWN

    def at(self, node: Any) -> str:
        position = getattr(node, "position", None)
        return f"{self.place}:{position.line}" if position else self.place

    # --- expressions

    def value(self, node: Any) -> Any:
        found = self.plain(node)
        if type(node).__name__ in ("MemberReference", "MethodInvocation", "ClassCreator", "Literal", "This"):
            for selector in node.selectors or []:
                found = self.selected(found, selector)
        if found is UNKNOWN:
            raise Unknown
        return found

    def plain(self, node: Any) -> Any:
        match type(node).__name__:
            case "Literal":
                return self.signed(_literal(node.value), node.prefix_operators)
            case "MemberReference":
                return self.member(node)
            case "ArrayInitializer":
                return [self.attempt(one) for one in node.initializers]
            case "ArrayCreator":
                return [self.attempt(one) for one in node.initializer.initializers]
            case "BinaryOperation":
                return _OPERATORS[node.operator](self.value(node.operandl), self.value(node.operandr))
            case "Assignment":
                self.names[node.expressionl.member] = found = self.attempt(node.value)
                return found
            case "Cast":
                return self.value(node.expression)
            case "MethodInvocation":
                return self.call(node)
            case "ClassCreator":
                return self.created(node)
            case _:
                raise Unknown

    def member(self, node: Any) -> Any:
        if node.member == "length":
            return len(self.names[node.qualifier])
        found = self.names[node.member]
        if "++" in (node.postfix_operators or []):
            self.names[node.member] += 1
        return found

    def signed(self, value: Any, prefix: Any) -> Any:
        return -value if "-" in (prefix or []) else value

    def selected(self, found: Any, selector: Any) -> Any:
        if type(selector).__name__ == "ArraySelector":
            return found[self.value(selector.index)]
        return self.method(found, selector, [self.value(one) for one in selector.arguments])

    def created(self, node: Any) -> Any:
        name = node.type.name
        if name in ("Machine", "GenericMachine"):
            return Machine()
        if name in ("ArrayList", "HashSet"):
            return list(self.value(node.arguments[0])) if node.arguments else []
        raise Unknown

    def call(self, node: Any) -> Any:
        if node.member.startswith("assert"):
            return self.asserted(node)
        args = self.arguments(node)
        match node.qualifier, node.member:
            case ("" | None, "createMachine") | ("Machine", "builder"):
                return Machine()
            case "Ruler", "matchesRule":
                return Machine().matches(args[1], args[0])
            case (("JsonRuleCompiler" | "RuleCompiler" | "Machine" | "GenericMachine"), "check"):
                return self.checked(args[0])
            case "" | None, "set" if isinstance(args[0], list):
                return args[0]
            case (
                ("Arrays", "asList")
                | ("Stream", "of")
                | ("Collections", "singletonList")
                | ("" | None, "set" | "asList")
            ):
                return args
            case "Collections", "emptyList":
                return []
            case "String", "format":
                return args[0] % tuple(args[1:])
            case qualifier, _ if qualifier:
                return self.method(self.names[qualifier.split(".")[0]], node, args)
            case _:
                raise Unknown

    def arguments(self, node: Any) -> list[Any]:
        try:
            return [self.value(one) for one in node.arguments]
        except (Unknown, KeyError, TypeError, AttributeError):
            machine = self.names.get(node.qualifier or "")
            if isinstance(machine, Machine) and node.member in (
                "addRule",
                "addPatternRule",
                "deleteRule",
                "deletePatternRule",
            ):
                machine.known = False
            raise Unknown from None

    def checked(self, rule: str) -> str | None:
        found = pattern(rule)
        return found if isinstance(found, str) else None

    def method(self, on: Any, node: Any, args: list[Any]) -> Any:
        match on, node.member:
            case Machine(), "addRule":
                return on.add(args[0], args[1])
            case Machine(), "deleteRule":
                return on.delete(args[0], args[1])
            case Machine(), "rulesForJSONEvent":
                return on.matching(args[0])
            case Machine(), _:
                raise Unknown
            case list(), "size":
                return len(on)
            case list(), "contains":
                return args[0] in on
            case list(), "isEmpty":
                return not on
            case list(), "get":
                return on[args[0]]
            case list(), "add":
                on.append(args[0])
                return True
            case str(), "replace":
                return on.replace(args[0], args[1])
            case _:
                raise Unknown

    def asserted(self, node: Any) -> None:
        count = {"assertTrue": 1, "assertFalse": 1, "assertNull": 1, "assertNotNull": 1, "assertEquals": 2}[
            node.member
        ]
        args = [self.value(one) for one in node.arguments[-count:]]
        if node.member == "assertEquals":
            wanted, found = (sorted(map(str, one)) if isinstance(one, list) else one for one in args)
        elif node.member in ("assertTrue", "assertFalse"):
            wanted, found = node.member == "assertTrue", args[0]
        else:
            wanted, found = node.member == "assertNotNull", args[0] is not None
        self.report.compared(self.at(node), node.member, wanted, found)


class _Unknown:
    """The value of what is not about rules and events."""


UNKNOWN = _Unknown()


def _literal(text: str) -> Any:
    if text in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[text]
    if text[0] == '"':
        return json.loads(text.replace("\\'", "'"), strict=False)
    return text[1:-1] if text[0] == "'" else float(text) if "." in text else int(text.rstrip("L"), 0)


def _added(one: Any, other: Any) -> Any:
    return one + other if isinstance(one, int) and isinstance(other, int) else f"{one}{other}"


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": _added,
    "-": lambda a, b: a - b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "==": lambda a, b: a == b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b,
}


def run(folder: Path) -> Report:
    """Every test method of the classes that have rules in JSON, by the evaluator and DuckDB."""
    import javalang  # a reader of Java, for this script alone

    report = Report(EXPLAINED)
    for name in CLASSES:
        file = folder / TESTS / f"{name}.java"
        tree = javalang.parse.parse(file.read_text(encoding="utf-8"))
        for kind in tree.types:
            constants = Method(report, name, {})
            for declaration in kind.fields:
                constants.statement(declaration)
            for method in kind.methods:
                if any(one.name == "Test" for one in method.annotations):
                    started = Method(report, f"{name}.{method.name}", constants.names)
                    started.attempt_block(method.body)
    engine = in_duckdb((predicate, event) for predicate, event, _ in ASKED)
    for (_, event, answer), found in zip(ASKED, engine, strict=True):
        report.compared("DuckDB", json.dumps(event)[:80], answer, found)
    return report


def main() -> int:
    folder = checkout(REPOSITORY)
    if folder is None:
        return 0
    found = run(folder)
    return report("the Event Ruler's tests", found.count, found.differences)


if __name__ == "__main__":
    sys.exit(main())
