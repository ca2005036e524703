"""Findings as servers of repositories show them: annotations of GitHub and SARIF logs."""

import json
from collections.abc import Sequence
from typing import Any


def annotation(level: str, file: str, line: int, title: str, message: str) -> str:
    """A GitHub workflow command that shows a message at a line of a file."""
    return (
        f"::{level} file={_property(file)},line={line or 1},title={_property(title)}::{_escaped(message)}\n"
    )


def _escaped(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _escaped(value).replace(":", "%3A").replace(",", "%2C")


def location(file: str, line: int, column: int = 0) -> dict[str, Any]:
    """A place in a file as a SARIF location."""
    region = {"startLine": max(line, 1), **({"startColumn": column} if column else {})}
    return {"physicalLocation": {"artifactLocation": {"uri": file}, "region": region}}


def sarif_log(results: list[dict[str, Any]], metadata: Sequence[dict[str, Any]] = ()) -> str:
    """Results as a SARIF log, with the `metadata` of rules, or the names of those that have results.
    Source: OASIS SARIF 2.1.0.
    """
    rules = list(metadata) or [{"id": rule} for rule in sorted({result["ruleId"] for result in results})]
    log = {
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{"tool": {"driver": {"name": "predicat", "rules": rules}}, "results": results}],
    }
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"
