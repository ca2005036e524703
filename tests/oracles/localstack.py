"""LocalStack's event patterns, which it checks against AWS, as an oracle: `PREDICAT_ORACLES=FOLDER python -m
tests.oracles.localstack`.

FOLDER/localstack+localstack is a checkout. Each file holds a pattern and an event; its name says what is
wanted: `_EXC` that
the pattern is no pattern, `_NEG` that it does not match. The tables of its unit tests do the same for filter
policies of SNS.
"""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import predicat
from tests.oracles import checkout, report
from tests.oracles.patterns import Report, in_duckdb, pattern

REPOSITORY = "localstack+localstack"
TEMPLATES = "tests/aws/services/events/event_pattern_templates"

SNS = "tests/unit/services/sns/test_sns.py"
EXPLAINED = {
    "content_wildcard_complex_EXC": "how complex a wildcard may be is not checked",
    "dot_joining_event": "keys of the message with points are not found by keys inside of keys",
}


def run(folder: Path) -> Report:
    """Every template, by the evaluator and DuckDB."""
    import json5  # for this script alone

    result, asked = Report(EXPLAINED), list[tuple[predicat.Predicate, Any]]()
    for file in sorted((folder / TEMPLATES).glob("*.json5")):
        case = json5.loads(file.read_text(encoding="utf-8"))
        found = pattern(case["EventPattern"])
        wanted = "refused" if file.stem.endswith("_EXC") else not file.stem.endswith("_NEG")
        answer = "refused" if isinstance(found, str) else found.evaluate({"event": case["Event"]})
        result.compared(file.stem, str(case["EventPattern"]), wanted, answer)
        if not isinstance(found, str):
            asked.append((found, case["Event"]))
    for (found, event), answer in zip(asked, in_duckdb(asked), strict=True):
        result.compared("DuckDB", f"{event!r:.80}", found.evaluate({"event": event}), answer)
    return result


def policies(folder: Path) -> Iterator[tuple[str, dict[str, Any], str, Any, bool]]:
    """The tables of SNS: the place, the policy, its scope, the message and what is wanted."""
    tree = ast.parse((folder / SNS).read_text(encoding="utf-8"))
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        table = next(
            (
                node.value
                for node in function.body
                if isinstance(node, ast.Assign) and "test_data" in ast.unparse(node.targets[0])
            ),
            None,
        )
        if function.name == "test_filter_policy" and table is not None:
            for title, policy, attributes, wanted in ast.literal_eval(table):
                yield (
                    title,
                    policy,
                    "MessageAttributes",
                    {name: _attribute(one) for name, one in attributes.items()},
                    wanted,
                )
        elif function.name == "test_filter_policy_on_message_body" and table is not None:
            for policy, messages in ast.literal_eval(table):
                for message, wanted in messages:
                    yield f"body {policy}", policy, "MessageBody", message, wanted


def _attribute(given: dict[str, Any]) -> Any:
    value = given.get("Value", given.get("StringValue", ""))
    if not isinstance(value, str) or given.get("Type", given.get("DataType")) not in (
        "String.Array",
        "Number",
    ):
        return value
    try:
        return json.loads(value)
    except ValueError:  # SNS does not deliver such an attribute
        return None


def _listed(policy: dict[str, Any]) -> dict[str, Any]:
    """The policy with lists where the emulator takes one value as well."""
    return {key: value if isinstance(value, list | dict) else [value] for key, value in policy.items()}


def run_sns(folder: Path) -> Report:
    """Every policy of the tables."""
    result = Report(
        {
            "no filter": "a policy without a key is an error",
            "no attributes": "a policy without a key is an error",
        }
    )
    for place, policy, scope, message, wanted in policies(folder):
        body = {"FilterPolicyScope": scope, "FilterPolicy": _listed(policy)}
        try:
            answer: Any = predicat.parse(body, "sns", {"event": "json"}, on="event").evaluate(
                {"event": message}
            )
        except predicat.PredicatError as error:
            answer = f"refused: {error.diagnostics[0].message}"
        result.compared(place, str(policy), wanted, answer)
    return result


def main() -> int:
    folder = checkout(REPOSITORY)
    if folder is None:
        return 0
    found, sns = run(folder), run_sns(folder)
    return report("LocalStack's event patterns", found.count, found.differences) + report(
        "LocalStack's SNS policies", sns.count, sns.differences
    )


if __name__ == "__main__":
    sys.exit(main())
