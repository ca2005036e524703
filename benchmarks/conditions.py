"""How long the SQL of 150 everyday conditions is, against the text that their author wrote.

`python benchmarks/conditions.py` prints, for each dialect, the median, the 90th percentile and the greatest
ratio of the length of the SQL to the author's text, whitespace aside: once for a WHERE (views and
`predicat_spark.create_views`), once with FALSE and NULL told apart, and once for a WHERE with the functions
that an engine can have; the last also for conditions with the meaning of the engine (a body `spark:`,
`postgres:` or `duckdb:`, in which NaN is above all numbers). Then the conditions with the greatest ratios and
their SQL in a WHERE, with functions where there are some.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

import yaml

import predicat
from predicat import backends
from predicat.backends.sql.dialect import Dialect
from predicat.ir.nodes import Node

CONDITIONS = Path(__file__).with_name("conditions.yml")


class Rendered(NamedTuple):
    """A condition and its SQL in a dialect."""

    text: str
    dialect: str
    sql: str

    @property
    def ratio(self) -> float:
        """The length of the SQL over that of the text, whitespace aside."""
        return _length(self.sql) / _length(self.text)


def _length(text: str) -> int:
    return len("".join(text.split()))


def conditions() -> Iterator[predicat.Predicate]:
    """The conditions of `conditions.yml`."""
    for group in yaml.safe_load(CONDITIONS.read_text(encoding="utf-8")).values():
        for language in ("sql", "cel"):
            for text in group[language]:
                yield predicat.parse(text, language, group["fields"])


def rendered(*, where: bool, functions: bool = False) -> list[Rendered]:
    """The SQL of each condition in each dialect, for a WHERE or with its three values."""

    def sql(node: Node, dialect: Dialect) -> str:
        return dialect.render(node, condition=where, runtime=dialect.runtime if functions else None)

    return [
        Rendered(row.text or "", name, sql(row.node, backends.dialect(name)))
        for row in conditions()
        for name in predicat.dialects()
    ]


def of_engines() -> list[Rendered]:
    """The SQL in a WHERE of each condition of SQL that means what it means in the engine, and that the
    language of the engine takes.
    """
    found: list[Rendered] = []
    for group in yaml.safe_load(CONDITIONS.read_text(encoding="utf-8")).values():
        for name in predicat.dialects():
            for text in group["sql"]:
                try:
                    node = predicat.parse(text, name, group["fields"]).node
                except predicat.PredicatError:
                    continue
                dialect = backends.dialect(name)
                found.append(
                    Rendered(text, name, dialect.render(node, condition=True, runtime=dialect.runtime))
                )
    return found


def figures(rows: list[Rendered]) -> str:
    """The median, the 90th percentile and the greatest ratio."""
    ratios = [row.ratio for row in rows]
    last = quantiles(ratios, n=10)[-1]
    return f"median {median(ratios):.2f}, p90 {last:.2f}, worst {max(ratios):.1f} of {len(ratios)}"


def main(worst: int, dialects: tuple[str, ...]) -> None:
    where, values = rendered(where=True), rendered(where=False)
    called = rendered(where=True, functions=True)
    for rows, kind in (
        (where, "WHERE"),
        (values, "three values"),
        (called, "WHERE with functions"),
        (of_engines(), "WHERE of the engine's own SQL, with functions"),
    ):
        for name in dialects:
            print(f"{name}, {kind}: {figures([row for row in rows if row.dialect == name])}")
    for name in dialects:
        chosen = sorted((row for row in called if row.dialect == name), key=lambda row: -row.ratio)
        for row in chosen[:worst]:
            print(f"\n{name}, {row.ratio:.1f} times: {row.text}\n    {row.sql}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worst", type=int, default=20, help="how many conditions are shown per dialect")
    parser.add_argument("--dialect", action="append", choices=predicat.dialects(), help="only this dialect")
    options = parser.parse_args()
    main(options.worst, tuple(options.dialect or predicat.dialects()))
