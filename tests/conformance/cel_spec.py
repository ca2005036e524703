"""The conformance cases of CEL's specification, from the npm package `@bufbuild/cel-spec` (Apache 2.0). npm
fetches it into `target`; nothing of it is in this repository.
"""

import hashlib
import json
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VERSION = "0.6.1"
SHA256 = "37e4b203f5ca5192db73a6095d129fb5e58a262a89309ba32e1840e7a80270e1"
FOLDER = Path(__file__).resolve().parent.parent.parent / "target" / f"cel-spec-{VERSION}"
MEMBER = "package/dist/esm/testdata/conformance.js"
PROGRAM = "import {tests} from './cases.mjs'; process.stdout.write(JSON.stringify(tests))"

TYPES = {"INT64": "int", "DOUBLE": "double", "STRING": "string", "BOOL": "bool"}
VALUES = {"boolValue": "bool", "int64Value": "int", "stringValue": "string", "nullValue": "null"}
NUMBERS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}


class OfMessages(Exception):
    """A case about messages, bytes, unsigned integers or types as values, which no column has."""


def suites() -> list[dict[str, Any]]:
    """The suites as the package has them. Raises OSError or SubprocessError where they cannot be had."""
    file = FOLDER / "cases.json"
    if not file.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        run("npm", "pack", "--silent", f"@bufbuild/cel-spec@{VERSION}")
        archive = FOLDER / f"bufbuild-cel-spec-{VERSION}.tgz"
        if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
            raise OSError(f"{archive.name} is another than the pinned one")
        with tarfile.open(archive) as tar:
            member = tar.extractfile(MEMBER)
            assert member is not None
            (FOLDER / "cases.mjs").write_bytes(member.read())
        file.write_text(run("node", "--input-type=module", "-e", PROGRAM), encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["suites"]
    return found


def run(*command: str) -> str:
    return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True, timeout=120).stdout


def rows() -> Iterator[dict[str, Any]]:
    """The cases over values that columns have, as `cases.cel_cases` reads them."""
    for suite in suites():
        for section in suite.get("suites", ()):
            for test in section.get("tests", ()):
                case = test["original"]
                try:
                    yield {
                        "label": f"{suite['name']}/{section['name']}/{case['name']}",
                        "file": suite["name"],
                        "expr": case["expr"],
                        "variables": {
                            one["name"]: kind(one.get("ident", {}).get("type", {}))
                            for one in case.get("typeEnv", ())
                        },
                        "bindings": {
                            name: value(one["value"]) for name, one in case.get("bindings", {}).items()
                        },
                        "expected": expected(case),
                    }
                except OfMessages:
                    continue


def expected(case: dict[str, Any]) -> Any:
    """The value of a case, or "error"."""
    if "container" in case or "checkOnly" in case:
        raise OfMessages
    if "evalError" in case:
        return "error"
    return value(case.get("value") or case.get("typedResult", {}).get("result") or {"boolValue": True})


def kind(written: dict[str, Any]) -> list[Any]:
    """A type: its name, and those of its parts."""
    match written:
        case {"primitive": name} if name in TYPES:
            return [TYPES[name], None]
        case {"wellKnown": ("TIMESTAMP" | "DURATION") as name}:
            return [name.lower(), None]
        case {"dyn": _} | {"null": _}:
            return [next(iter(written)), None]
        case {"listType": {"elemType": element}}:
            return ["list", kind(element)]
        case {"mapType": {"keyType": key, "valueType": inner}}:
            return ["map", [kind(key), kind(inner)]]
        case _:
            raise OfMessages


def value(written: dict[str, Any]) -> list[Any]:
    """A value: the name of its type, and what it is."""
    match written:
        case {"doubleValue": number}:
            return ["double", NUMBERS.get(number, number)]
        case {"listValue": items}:
            return ["list", [value(item) for item in items.get("values", ())]]
        case {"mapValue": items}:
            pairs = ((value(item["key"]), value(item["value"])) for item in items.get("entries", ()))
            return ["map", [list(pair) for pair in pairs]]
        case {"int64Value": number}:
            return ["int", int(number)]
        case _:
            (name, inner), *_ = written.items()
            if name not in VALUES:
                raise OfMessages
            return [VALUES[name], None if name == "nullValue" else inner]
