"""Do suggested bounds find faults in data, and how often do they alarm for nothing?

Ten generated data sets of a file a day. `quality suggest` sees the first days, and its bounds are written
into the catalog. Then come clean days, and days with a fault in one row of twenty. Everything but the data is
what `predicat quality` does: DuckDB counts, bounds are suggested, written, read and judged.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import predicat
from predicat.quality import stores
from predicat.quality.bounds import judge
from predicat.quality.checks import Check
from predicat.quality.engines import on_duckdb
from predicat.quality.history import Series, entries
from predicat.quality.measure import Measure
from predicat.quality.plan import Plan, plan
from predicat.quality.suggest import suggest
from predicat.quality.writing import write

Columns = dict[str, Any]
SHARE = 0.05
FIRST = datetime(2026, 1, 5, tzinfo=UTC)
COUNTRIES = ["DE", "FR", "NL", "AT", "CH", "SE"]
STATUSES = ["open", "paid", "sent", "back"]
# What a team would watch.
FILTERS = {
    "positive_id": "id > 0",
    "known_country": "country IN ('DE', 'FR', 'NL', 'AT', 'CH', 'SE')",
    "german": "country IN ('DE', 'AT', 'CH')",
    "swiss": "country = 'CH'",
    "in_range": "amount BETWEEN 0.5 AND 500",
    "of_the_day": "at >= now() - INTERVAL '24 hours' AND at <= now()",
    "good_code": "code RLIKE '^[A-Z]{2}-[0-9]{4}$'",
    "known_status": "status IN ('open', 'paid', 'sent', 'back')",
}
# And if the relation is a view that counts the rows of each key (`COUNT(*) OVER (PARTITION BY id)`).
COUNTS_KEYS = {"once": "copies = 1"}


class Kind(NamedTuple):
    """A data set. `rows` a day, which vary from day to day by `busy` beside chance; the shares of countries
    vary by `moody`. `dirt` is the share of rows that are wrong on a good day, in each of several ways; `gaps`
    the share of missing values. On the weekend there are `weekend` times as many rows, and fewer German ones.
    `grows` is a day's growth. `keyed`: the team counts the rows of each key.
    """

    name: str
    rows: int
    busy: float
    moody: float
    dirt: float
    gaps: float
    weekend: float = 1.0
    grows: float = 0.0
    keyed: bool = True


KINDS = [
    Kind("claims", 3_000, 0.04, 0.02, 0.003, 0.03),
    Kind("orders", 10_000, 0.02, 0.02, 0.0005, 0.01),
    Kind("payments", 6_000, 0.03, 0.01, 0.0, 0.0),
    Kind("sessions", 10_000, 0.03, 0.03, 0.002, 0.05, weekend=1.3),
    Kind("tickets", 2_000, 0.05, 0.03, 0.001, 0.02, weekend=0.4),
    Kind("shipments", 5_000, 0.03, 0.02, 0.001, 0.01, weekend=0.5),
    Kind("logins", 6_000, 0.02, 0.02, 0.0, 0.0, grows=0.002),
    Kind("sensors", 20_000, 0.002, 0.0, 0.0002, 0.002, keyed=False),
    Kind("reviews", 2_000, 0.06, 0.05, 0.005, 0.1, keyed=False),
    Kind("trips", 10_000, 0.003, 0.01, 0.001, 0.01, keyed=False),
]


def day_of(kind: Kind, number: int, rng: np.random.Generator) -> Columns:
    """The rows of a good day."""
    start = FIRST + timedelta(days=number)
    weekend = start.weekday() >= 5
    expected = kind.rows * (1 + kind.grows) ** number * (kind.weekend if weekend else 1)
    rows = int(rng.poisson(expected * np.exp(rng.normal(0, kind.busy))))
    weights = np.array([0.4, 0.25, 0.15, 0.06, 0.05, 0.09]) * np.exp(rng.normal(0, kind.moody, 6))
    weights[0] *= 0.7 if weekend and kind.weekend != 1 else 1
    seconds = np.clip(rng.normal(14, 4.5, rows), 0, 23.99) * 3600
    wrong = {name: rng.random(rows) < kind.dirt for name in ("id", "amount", "at", "code", "status")}
    gone = {name: rng.random(rows) < kind.gaps for name in ("country", "amount", "status")}
    country = rng.choice(COUNTRIES, rows, p=weights / weights.sum())
    codes = np.char.add(np.char.add(country, "-"), rng.integers(1000, 9999, rows).astype("U4"))
    return {
        "id": np.where(wrong["id"], -1, 1) * (rng.integers(1, 10**6) * 10**6 + np.arange(1, rows + 1)),
        "country": np.where(gone["country"], None, country),
        "amount": np.where(
            gone["amount"], np.nan, rng.lognormal(3.5, 0.8, rows) * np.where(wrong["amount"], -1, 1)
        ),
        "at": start.timestamp() + seconds - np.where(wrong["at"], 2 * 86400, 0),
        "code": np.where(wrong["code"], "?", codes),
        "status": np.where(
            gone["status"], None, np.where(wrong["status"], "tbd", rng.choice(STATUSES, rows))
        ),
    }


def some(rows: Columns, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """One row of twenty."""
    return rng.random(len(rows["id"])) < SHARE


def changed(name: str, change: Callable[[Any], Any]) -> Callable[[Columns, Any], Columns]:
    """A fault that changes a column of some rows."""
    return lambda rows, rng: {**rows, name: np.where(some(rows, rng), change(rows[name]), rows[name])}


def texts(change: Callable[[str], str]) -> Callable[[Any], Any]:
    """A change of texts that are there."""
    return lambda values: np.array([value if value is None else change(value) for value in values], object)


def only(rows: Columns, kept: np.ndarray[Any, Any]) -> Columns:
    """The rows at some places."""
    return {name: values[kept] for name, values in rows.items()}


def again(rows: Columns, rng: np.random.Generator) -> Columns:
    """Some rows a second time."""
    place = np.arange(len(rows["id"]))
    return only(rows, np.concatenate([place, place[some(rows, rng)]]))


def duplicates(rows: Columns, rng: np.random.Generator) -> Columns:
    """Some rows a second time with another amount: what a wrong join makes."""
    result = again(rows, rng)
    new = np.arange(len(result["id"])) >= len(rows["id"])
    return {**result, "amount": np.where(new, result["amount"] * 1.1, result["amount"])}


FAULTS: dict[str, Callable[[Columns, np.random.Generator], Columns]] = {
    "negative ids": changed("id", lambda values: -abs(values)),
    "a country missing": lambda rows, _: only(rows, rows["country"] != "CH"),
    "doubled events": again,
    "cents for euros": changed("amount", lambda values: values * 100),
    "late data": changed("at", lambda values: values - 3 * 86400),
    "NULLs": changed("country", lambda _: None),
    "truncated texts": changed("code", texts(lambda text: text[:5])),
    "a day missing": lambda rows, _: only(rows, np.zeros(len(rows["id"]), bool)),
    "case changed": changed("status", texts(str.upper)),
    "time zone shifted": changed("at", lambda values: values + 5 * 3600),
    "duplicates": duplicates,
    "a new category": changed("status", lambda _: "void"),
}


def catalog_of(folder: Path, kind: Kind) -> Path:
    """A catalog of the data set without bounds."""
    fields = "id: bigint, country: string, amount: double, at: timestamp, code: string"
    filters = FILTERS | (COUNTS_KEYS if kind.keyed else {})
    lines = [f'  {name}: {{sql: "{sql}"}}' for name, sql in filters.items()]
    head = (
        f"apiVersion: predicat/v1\ndataset: {kind.name}\nrelation: {{duckdb: {kind.name}.parquet}}\n"
        f"fields: {{{fields}, status: string, copies: bigint}}\nfilters:\n"
    )
    (folder / f"{kind.name}.yml").write_text(head + "\n".join(lines) + "\n")
    return folder / f"{kind.name}.yml"


class Source:
    """A data set whose days are measured as `predicat quality run` does."""

    def __init__(self, folder: Path, kind: Kind, seed: int) -> None:
        self.kind, self.folder, self.seed = kind, folder, seed
        self.file = catalog_of(folder, kind)
        self.series = Series("benchmark", kind.name, "duckdb", "", 1.0)
        self.catalog = predicat.load_catalog(self.file)

    def measure(self, number: int, fault: str = "") -> Measure:
        """The counts of a day."""
        rng = np.random.default_rng([self.seed, number])
        rows = day_of(self.kind, number, rng)
        if fault:
            rows = FAULTS[fault](rows, rng)
        path = self.folder / f"{self.kind.name}.parquet"
        _, place, count = np.unique(rows["id"], return_inverse=True, return_counts=True)
        at = pa.array((rows["at"] * 1e6).astype("int64"), pa.timestamp("us", "UTC"))
        amount = pa.array(rows["amount"], from_pandas=True)
        table = {**rows, "at": at, "amount": amount, "copies": count[place]}
        texts_ = {name: pa.array(rows[name], pa.string()) for name in ("country", "code", "status")}
        pq.write_table(pa.table(table | texts_), path)
        return on_duckdb(self.plan(number), str(path))

    def plan(self, number: int) -> Plan:
        return plan(self.catalog, self.kind.name, (), "duckdb", self.end(number))

    @staticmethod
    def end(number: int) -> datetime:
        """When a day is measured: when it ends."""
        return FIRST + timedelta(days=number + 1)

    def results(
        self, catalog: predicat.Catalog, number: int, found: Measure, past: Sequence[Any]
    ) -> tuple[list[Check], list[Any]]:
        """How the bounds end, and what is kept of the run."""
        checks = judge(catalog, found, self.series.of(past), {}, self.end(number))
        return checks, entries(catalog, found, self.series, checks, self.end(number))


class Score(NamedTuple):
    """What the bounds of a data set found. `wrong` counts the bounds that alarmed on clean days."""

    missed: list[str]
    wrong: Counter[str]
    alarms: int
    days: int
    broken: int
    checks: int


def broken(checks: Sequence[Check]) -> list[str]:
    return [check.label for check in checks if check.status == "fail"]


def score(
    source: Source, days: Sequence[Measure], bad: dict[str, tuple[int, Measure]], known: range
) -> Score:
    """Suggest bounds of the known days, then judge those that follow, and the faults among them."""
    catalog_of(source.folder, source.kind)
    history = source.folder / f"{source.kind.name}-{len(known)}.jsonl"
    for number in known[:-1]:
        stores.append(history, source.results(source.catalog, number, days[number], [])[1])
    past, last = stores.read(history), known[-1]
    write(source.file, suggest(source.catalog, days[last], source.series.of(past), source.end(last - 1)))
    catalog = predicat.load_catalog(source.file)
    past += source.results(catalog, last, days[last], past)[1]
    result = Score([], Counter(), 0, 0, 0, 0)
    for number in range(last + 1, len(days)):
        for fault, (at, found) in bad.items():
            if at == number and not broken(source.results(catalog, number, found, past)[0]):
                result.missed.append(fault)
        checks, kept = source.results(catalog, number, days[number], past)
        past += kept
        wrong = broken(checks)
        result = Score(
            result.missed,
            result.wrong + Counter(wrong),
            result.alarms + bool(wrong),
            result.days + 1,
            result.broken + len(wrong),
            result.checks + len(checks),
        )
    return result


def main(sets: int, clean: int, lengths: Sequence[int]) -> None:
    most = max(lengths)
    scores: dict[int, dict[str, Score]] = {length: {} for length in lengths}
    with tempfile.TemporaryDirectory() as folder:
        for seed, kind in enumerate(KINDS[:sets]):
            (Path(folder) / kind.name).mkdir()
            source = Source(Path(folder) / kind.name, kind, seed)
            days = [source.measure(number) for number in range(most + clean)]
            numbers = [most + place * clean // len(FAULTS) for place in range(len(FAULTS))]
            bad = {
                fault: (number, source.measure(number, fault))
                for fault, number in zip(FAULTS, numbers, strict=True)
            }
            for length in lengths:
                found = score(source, days, bad, range(most - length, most))
                scores[length][kind.name] = found
                print(
                    f"{kind.name}, {length} days known: {len(FAULTS) - len(found.missed)} of {len(FAULTS)} "
                    f"faults, {found.alarms} of {found.days} clean days alarm; missed: "
                    f"{', '.join(found.missed) or '-'}; wrong: {dict(found.wrong) or '-'}",
                    flush=True,
                )
    for length, by_name in scores.items():
        _total(length, list(by_name.values()))


def _total(length: int, scores: Sequence[Score]) -> None:
    faults = len(FAULTS) * len(scores)
    found = faults - sum(len(item.missed) for item in scores)
    alarms, days = sum(item.alarms for item in scores), sum(item.days for item in scores)
    wrong, checks = sum(item.broken for item in scores), sum(item.checks for item in scores)
    print(
        f"{length} days known: {found} of {faults} faults found ({found / faults:.1%}), {alarms} of {days} "
        f"clean days alarm ({alarms / days:.1%}), {wrong} of {checks:,} checks"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="?", type=int, default=len(KINDS), help="data sets, at most 10")
    parser.add_argument("--clean", type=int, default=60, help="clean days after those that are known")
    parser.add_argument("--days", nargs="+", type=int, default=[1, 7, 14, 28, 56], help="days that are known")
    options = parser.parse_args()
    main(options.sets, options.clean, options.days)
