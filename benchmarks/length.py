"""How long the SQL of usual filters over JSON is: `python benchmarks/length.py [policies]`.

For each kind of filter and each dialect the median, the nineties and the largest of the length of the SQL, in
characters and as a
multiple of the author's text, and the texts with the longest SQL. Then the CPU time in which so many flat SNS
policies are parsed, compiled
to each dialect, and compiled as a catalog by `predicat compile`.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

import yaml

import predicat
from predicat.diagnostics import Unsupported

BODIES = Path(__file__).with_name("length.yml")


class Length(NamedTuple):
    """A filter, its own length in characters, and that of its SQL in a dialect; no SQL where the dialect
    refuses it.
    """

    kind: str
    text: str
    dialect: str
    sql: str | None

    @property
    def over(self) -> float:
        """How far the SQL is beyond half as much again as the author's text, in characters."""
        return len(self.sql or "") - 1.5 * len(self.text)


def lengths() -> list[Length]:
    """The SQL of each filter of `length.yml` in each dialect. No field is declared: what a name holds, the
    row alone knows.
    """
    found: list[Length] = []
    for kind, group in yaml.safe_load(BODIES.read_text(encoding="utf-8")).items():
        for body in group["filters"]:
            # Keys are columns here, as the limits in length.yml have it.
            predicate = predicat.parse(body, group["language"], on=None)
            text = body if isinstance(body, str) else json.dumps(body)
            found += [
                Length(kind, text, dialect, _sql(predicate, dialect)) for dialect in predicat.dialects()
            ]
    return found


def _sql(predicate: predicat.Predicate, dialect: str) -> str | None:
    try:
        return predicate.sql(dialect)
    except Unsupported:
        return None


def policies(count: int) -> list[dict[str, Any]]:
    """Flat SNS policies, each one different."""
    return [
        {
            "event": [f"order_{number}", "order_cancelled"],
            "store": [{"prefix": f"s{number % 97}-"}],
            "price": [{"numeric": [">=", number % 500]}],
            "region": [{"anything-but": ["eu-west-1"]}],
        }
        for number in range(count)
    ]


def compiled(count: int) -> dict[str, float]:
    """The seconds of CPU in which so many flat policies are parsed, and in which each dialect makes SQL of
    them.
    """
    bodies = policies(count)
    for dialect in predicat.dialects():
        predicat.parse(bodies[0], "sns").sql(dialect)  # loads what each needs
    start = time.process_time()
    parsed = [predicat.parse(body, "sns") for body in bodies]
    found = {"parse": time.process_time() - start}
    for dialect in predicat.dialects():
        start = time.process_time()
        for predicate in parsed:
            predicate.sql(dialect)
        found[dialect] = time.process_time() - start
    return found


def catalog(folder: Path, count: int, per_file: int = 500) -> None:
    """Write so many flat policies as the filters of a catalog, on fields that are JSON."""
    fields = dict.fromkeys(("event", "store", "price", "region"), "json")
    for start in range(0, count, per_file):
        number = start // per_file
        filters = {
            f"f{start + place}": {
                "description": "A flat policy.",
                "owner": "team@example.com",
                "on_unknown": "reject",
                "sns": policy,
            }
            for place, policy in enumerate(policies(count)[start : start + per_file])
        }
        document = {
            "apiVersion": "predicat/v1",
            "dataset": f"d{number}",
            "relation": f"d{number}",
            "fields": fields,
            "filters": filters,
        }
        (folder / f"d{number}.yml").write_text(yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False))


def compiled_catalog(count: int) -> float:
    """The seconds of CPU in which `predicat compile` makes all files of such a catalog, from nothing."""
    from compile import cpu  # a module beside this one, which tests that import this one do not find

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "catalog"
        folder.mkdir()
        catalog(folder, count)
        return cpu("compile", cwd=Path(name))


def _figures(kind: str, rows: list[Length]) -> None:
    said = [row for row in rows if row.sql is not None]
    refused = f"; {len(rows) - len(said)} refused" if len(said) < len(rows) else ""
    for dialect in predicat.dialects():
        chosen = [row for row in said if row.dialect == dialect]
        characters = [len(row.sql or "") for row in chosen]
        times = [len(row.sql or "") / len(row.text) for row in chosen]
        print(
            f"{kind}, {dialect}: median {median(characters):,.0f} characters, {median(times):.1f} "
            f"times the text, {median(row.over for row in chosen):+.0f} over 1.5 times; "
            f"p90 {_p90(characters):,.0f}, {_p90(times):.1f}; max {max(characters):,}, "
            f"{max(times):.1f}{refused}"
        )


def _p90(values: list[Any]) -> float:
    return quantiles(values, n=10)[-1] if len(values) > 1 else values[0]


def main(count: int, worst: int) -> None:
    rows = lengths()
    for kind in dict.fromkeys(row.kind for row in rows):
        _figures(kind, [row for row in rows if row.kind == kind])
    _figures("all", rows)
    for row in sorted(rows, key=lambda row: len(row.sql or ""), reverse=True)[:worst]:
        print(
            f"longest, {row.dialect}: {len(row.sql or ''):,} characters for {len(row.text)}: {row.text[:200]}"
        )
    times = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in compiled(count).items())
    print(
        f"{count:,} flat SNS policies: {times}; predicat compile of a catalog of them "
        f"{compiled_catalog(count):.1f} s"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "policies", nargs="?", type=int, default=10_000, help="how many flat SNS policies are compiled"
    )
    parser.add_argument("--worst", type=int, default=10, help="how many of the longest texts are shown")
    options = parser.parse_args()
    main(options.policies, options.worst)
    sys.exit(0)
