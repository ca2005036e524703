"""A review sees every change of a catalog: each kind in each format, and no edit at random that it is
silent about.
"""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from predicat.catalog import keys as d
from predicat.catalog.load import load_catalog, read_definitions
from predicat.catalog.manifest import build_manifest
from predicat.review import report
from predicat.review.changes import review
from predicat.review.entries import Entry, Review
from predicat.review.impact import impact
from predicat.review.kinds import KINDS, NOTE
from predicat.review.proofs import SAME, Proof
from predicat.review.snapshot import Place, Snapshot, empty, lock_data, of_files
from predicat.review.topics import topics

CATALOG: dict[str, Any] = {
    "apiVersion": "predicat/v1",
    "dataset": "orders",
    "description": "Orders of a shop.",
    "relation": {"spark": "orders", "postgres": "public.orders"},
    "key": ["id"],
    "fields": {
        "id": "bigint",
        "amount": {"type": "bigint", "description": "In cents.", "nulls": "absent", "column": "amount_cents"},
        "country": {"type": "string", "nulls": "value"},
        "status": "bigint",
        "placed": {"type": "timestamp"},
        "headers": "map<string, string>",
    },
    "enums": {"Status": {"OPEN": 1, "DONE": 2}},
    "lists": {"small": [1, 2]},
    "vars": {"limit": 100, "unused": "x"},
    "baseline": {"max_age": "30 days", "severity": "warn"},
    "rows": {"at_least": 1000, "drift": "10%"},
    "freshness": {"column": "placed", "at_most": "2 hours", "severity": "warn"},
    "partition": {"column": "placed", "by": "day", "zone": "Europe/Berlin"},
    "where": "large",
    "view": {"security_barrier": True},
    "filters": {
        "large": {
            "description": "Large orders.",
            "owner": "sales@example.com",
            "tags": ["sales", "daily"],
            "on_unknown": "reject",
            "latest": 2,
            "versions": {
                "1": {"sql": "amount > 10", "deprecated": "2030-12-31"},
                "2": {
                    "sql": "amount > :least",
                    "params": {"least": {"type": "bigint", "default": 100, "description": "The least."}},
                },
            },
            "tests": [
                {"row": {"amount": 200}, "matches": True, "version": 2, "description": "more"},
                {"row": {"amount": 1}, "matches": False},
            ],
            "coverage": {
                "at_least": "1%",
                "at_most": {"value": "50%", "severity": "warn"},
                "unknown_at_most": 10,
                "drift": "5%",
            },
        },
        "done": {"sql": "status = Status.DONE"},
        "small": {"not": "large"},
        "both": {"all": ["large", "done"]},
        "limited": {"sql": "{{ above('amount') }} OR amount = {{ var('limit') }}"},
        "here": {"cel": "country == 'DE'", "on_unknown": "accept"},
        "routed": {"headers": {"headerEquals": {"region": "EU"}}, "on": "headers"},
    },
    "groups": {
        "sizes": {
            "filters": ["large", "small"],
            "exclusive": True,
            "exhaustive": False,
            "severity": "warn",
            "description": "Sizes.",
        }
    },
    "subscriptions": {
        "desk": {"filter": "large", "properties": {"team": "sales"}, "description": "The desk."}
    },
    "jobs": {
        "nightly": {
            "description": "Every night.",
            "source": "orders",
            "filters": ["large"],
            "sinks": [{"path": "out/{filter}"}],
            "mode": "append",
        }
    },
    "tests": {"done": [{"row": {"status": 2}, "matches": True}]},
    "attributes": {
        "region": {"type": "string", "postgres": "current_setting('app.region')", "description": "Where."}
    },
    "policies": {
        "sales_only": {
            "command": "all",
            "roles": ["sales"],
            "using": "large",
            "check": {"filter": "large", "params": {"least": 5}},
            "description": "Sales.",
        }
    },
}
MACROS = (
    "{%- macro above(x) -%}\n{{ x }} > 5\n{%- endmacro -%}\n{#- a comment -#}\n{%- macro spare(x) -%}{{ x "
    "}}{%- endmacro -%}\n"
)


class Shop:
    """A catalog in a folder, and what a review of an edit of it says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write(folder / "before", dated(CATALOG), MACROS)
        self.manifest_before = canonical(folder / "before")

    @staticmethod
    def write(place: Path, text: str, macros: str) -> None:
        shutil.rmtree(place, ignore_errors=True)
        (place / "catalog").mkdir(parents=True)
        (place / "macros").mkdir()
        (place / "catalog" / "orders.yml").write_text(text)
        (place / "macros" / "macros.sql").write_text(macros)

    def review(self, text: str, macros: str = MACROS, lock: tuple[str, str] = ("", "")) -> Review:
        self.write(self.folder / "after", text, macros)
        return review(
            side(self.folder / "before", lock[0]),
            side(self.folder / "after", lock[1]),
            edited=["catalog/orders.yml"],
        )


def side(place: Path, lock: str = "") -> Snapshot:
    (place / "catalog" / "catalog.lock").write_text(lock)
    found = of_files(read_definitions(place / "catalog"), lambda name: Path(name).name)
    found.data["lock"] = lock_data(place / "catalog")
    return found


def canonical(place: Path) -> str:
    """The manifest without the lines and files in it, and without the order of keys."""
    found = build_manifest(load_catalog(place / "catalog", tests=False))
    found["filters"].sort(key=lambda row: (row["name"], row["version"]))
    for row in (*found["filters"], *found["macros"].values()):
        row["source"] = row["line"] = None
    return json.dumps(found, sort_keys=True, default=str)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"))


def put(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """An edit that sets what is at a path (`/` between keys); None takes it away."""

    def edit(catalog: dict[str, Any]) -> None:
        *parents, last = path.split("/")
        for key in parents:
            catalog = catalog[key]
        if value is None:
            del catalog[last]
        else:
            catalog[last] = value

    return edit


LARGE = "filters/large/versions"
EDITS: list[tuple[str, Any, str, str, str | None, str | None]] = [
    ("description", "Others.", "dataset-description", "orders", "Orders of a shop.", "Others."),
    ("relation/postgres", "public.orders_v2", "relation", "orders", "public.orders", "public.orders_v2"),
    ("relation/spark", None, "relation", "orders", "orders", None),
    ("key", ["id", "country"], "key", "orders", "id", "id, country"),
    ("fields/note", "string", "field", "orders", None, "string"),
    ("fields/id", "string", "field-type", "orders", "bigint", "string"),
    ("fields/id", "int", "stored-type", "orders", "bigint", "int"),
    (
        "fields/placed/zone",
        "Europe/Berlin",
        "stored-type",
        "orders",
        "timestamp",
        "timestamp (zone: Europe/Berlin)",
    ),
    ("fields/amount/min", 0, "field-min", "orders", None, "0"),
    ("fields/amount/max", 1000, "field-max", "orders", None, "1000"),
    ("fields/country/sensitive", True, "field-sensitive", "orders", None, "true"),
    ("fields/country/nulls", "absent", "field-nulls", "orders", "value", "absent"),
    (
        "fields/amount/column",
        {"spark": "cents", "postgres": "amount_cents", "duckdb": "amount_cents"},
        "column",
        "orders",
        "amount_cents",
        "cents",
    ),
    (
        "fields/country/expression",
        {"postgres": "upper(land)"},
        "expression",
        "orders",
        None,
        "upper(land)",
    ),
    ("fields/amount/description", "In euros.", "field-description", "orders", "In cents.", "In euros."),
    ("enums/Status/DONE", 3, "enum", "orders", "2", "3"),
    (
        "lists/small",
        [1, 2, 3],
        "list",
        "orders",
        "bigint, 2 values, 21034fcd0f77",
        "bigint, 3 values, d6287ea2d02c",
    ),
    ("vars/limit", 200, "variable", "limit", "100", "200"),
    ("vars/unused", None, "variable", "unused", "x", None),
    ("baseline/max_age", "60 days", "baseline", "orders", "30 days (warn)", "60 days (warn)"),
    ("rows/at_least", 500, "rows-bound", "orders", "1,000 rows", "500 rows"),
    ("rows/drift", "20%", "rows-bound", "orders", "10%", "20%"),
    (
        "freshness/at_most",
        "3 hours",
        "freshness",
        "orders",
        "placed at most 2 hours (warn)",
        "placed at most 3 hours (warn)",
    ),
    ("spark", {"ansi": False}, "spark-ansi", "orders", None, "false"),
    ("view/security_barrier", None, "dataset-view-option", "orders", "true", None),
    ("filters/large/view", {"security_invoker": True}, "view-option", "orders.large", None, "true"),
    ("filters/done", None, "filter", "orders.done", "status = Status.DONE", None),
    ("filters/late", {"sql": "id = 1"}, "filter", "orders.late", None, "id = 1"),
    ("filters/large/description", "All.", "description", "orders.large", "Large orders.", "All."),
    ("filters/large/owner", None, "owner", "orders.large", "sales@example.com", None),
    ("filters/large/tags", ["sales"], "tags", "orders.large", "sales, daily", "sales"),
    ("filters/large/on_unknown", "accept", "on-unknown", "orders.large", "reject", "accept"),
    ("filters/large/latest", 1, "latest-version", "orders.large", "2", "1"),
    (
        "filters/large/tests",
        CATALOG["filters"]["large"]["tests"][:1],
        "test",
        "orders.large",
        "matches false",
        None,
    ),
    (
        "filters/large/tests",
        [CATALOG["filters"]["large"]["tests"][0], {"row": {"amount": 1}, "matches": True}],
        "test-expectation",
        "orders.large",
        "false",
        "true",
    ),
    ("filters/large/coverage/anomaly", "1%", "coverage", "orders.large", None, "1%"),
    ("filters/large/coverage/at_least", None, "coverage", "orders.large", "1%", None),
    ("filters/large/coverage/at_most", "60%", "coverage", "orders.large", "50% (warn)", "60%"),
    ("filters/large/coverage/unknown_at_most", 11, "coverage", "orders.large", "10 rows", "11 rows"),
    (f"{LARGE}/1/deprecated", "2031-12-31", "deprecation", "orders.large", "2030-12-31", "2031-12-31"),
    (f"{LARGE}/1/sql", "amount > 11", "version", "orders.large", "amount > 10", "amount > 11"),
    (f"{LARGE}/3", {"sql": "amount > 3"}, "version", "orders.large", None, "amount > 3"),
    (f"{LARGE}/1", None, "version", "orders.large", "amount > 10", None),
    (f"{LARGE}/2/params/least/default", 200, "param-default", "orders.large", "100", "200"),
    (f"{LARGE}/2/params/least/default", None, "param-default", "orders.large", "100", None),
    (f"{LARGE}/2/params/least/type", "double", "param-type", "orders.large", "bigint", "double"),
    (
        f"{LARGE}/2/params/least/description",
        "Most.",
        "param-description",
        "orders.large",
        "The least.",
        "Most.",
    ),
    (f"{LARGE}/2/params/most", "bigint", "param", "orders.large", None, "bigint"),
    ("filters/small/not", "done", "rows", "orders.small", "large", "done"),
    ("filters/here/cel", "country == 'AT'", "rows", "orders.here", "country == 'DE'", "country == 'AT'"),
    ("groups/sizes", None, "group", "orders.sizes", "large, small", None),
    ("groups/sizes/filters", ["large"], "group-members", "orders.sizes", "large, small", "large"),
    ("groups/sizes/exclusive", False, "group-exclusive", "orders.sizes", "true", "false"),
    ("groups/sizes/exhaustive", True, "group-exhaustive", "orders.sizes", "false", "true"),
    (
        "groups/sizes/exclusive",
        {"warn": 1, "error": 5},
        "group-limit",
        "orders.sizes",
        None,
        "5 rows (warn: 1 row)",
    ),
    (
        "freshness/at_most",
        {"warn": "1 hour", "error": "2 hours"},
        "freshness",
        "orders",
        "placed at most 2 hours (warn)",
        "placed at most 2 hours (error, warn: 1 hour)",
    ),
    (
        "partition/by",
        "week",
        "partition",
        "orders",
        "placed by day in Europe/Berlin",
        "placed by week in Europe/Berlin",
    ),
    ("where", "done", "where", "orders", "large", "done"),
    ("groups/sizes/severity", "error", "group-severity", "orders.sizes", "warn", "error"),
    ("groups/sizes/description", "All.", "group-description", "orders.sizes", "Sizes.", "All."),
    ("subscriptions/desk", None, "subscription", "orders.desk", "large", None),
    ("subscriptions/desk/filter", "done", "subscription-filter", "orders.desk", "large", "done"),
    ("subscriptions/desk/properties/team", "ops", "subscription-property", "orders.desk", "sales", "ops"),
    ("jobs/nightly/mode", "overwrite", "job-part", "orders.nightly", "append", "overwrite"),
    ("jobs/nightly/description", "Nights.", "job-description", "orders.nightly", "Every night.", "Nights."),
    (
        "subscriptions/desk/description",
        "Desks.",
        "subscription-description",
        "orders.desk",
        "The desk.",
        "Desks.",
    ),
    ("tests/done", [], "test", "orders.done", "matches true", None),
    ("policies/sales_only", None, "policy", "orders.sales_only", "large, large(least => 5)", None),
    ("policies/sales_only/command", "update", "policy-part", "orders.sales_only", "all", "update"),
    ("policies/sales_only/roles", ["sales", "a"], "policy-part", "orders.sales_only", "sales", "sales, a"),
    ("policies/sales_only/permissive", False, "policy-part", "orders.sales_only", None, "false"),
    ("policies/sales_only/using", "small", "policy-part", "orders.sales_only", "large", "small"),
    (
        "policies/sales_only/check/params/least",
        6,
        "policy-part",
        "orders.sales_only",
        "large(least => 5)",
        "large(least => 6)",
    ),
    ("policies/sales_only/table", "public.sold", "policy-part", "orders.sales_only", None, "public.sold"),
    ("policies/sales_only/description", "All.", "policy-description", "orders.sales_only", "Sales.", "All."),
    (
        "attributes/region/postgres",
        "current_user",
        "attribute",
        "region",
        "current_setting('app.region')",
        "current_user",
    ),
]


@pytest.mark.parametrize(
    ("path", "value", "kind", "name", "before", "after"),
    EDITS,
    ids=[f"{row[0]}: {row[1]}"[:60] for row in EDITS],
)
def test_each_key_has_its_entry(
    shop: Shop, path: str, value: Any, kind: str, name: str, before: str | None, after: str | None
) -> None:
    catalog = json.loads(json.dumps(CATALOG))
    if path == "filters/done":  # and what names it
        del catalog["tests"], catalog["filters"]["both"]
    put(path, value)(catalog)
    found = shop.review(dated(catalog))
    entries = [(entry.name, entry.before, entry.after) for entry in found.entries if entry.kind == kind]
    assert (name, before, after) in entries, found.entries
    told = impact(found, {})
    assert all(told[topic.label].data() for topic in topics(found))


def dated(catalog: dict[str, Any]) -> str:
    """YAML, with dates as dates and the numbers of versions as numbers."""
    return (
        yaml.safe_dump(catalog, sort_keys=False)
        .replace("'2030-12-31'", "2030-12-31")
        .replace("'2031-12-31'", "2031-12-31")
    )


def test_every_key_of_the_schema_is_edited() -> None:
    edited = {part for row in EDITS for part in row[0].split("/")}
    nested = {
        "row",
        "matches",
        "version",
        "now",
        "value",
        "type",
        "default",
        "properties",
        "security_invoker",
    }
    keys = {
        *d.FILE,
        *d.FIELD,
        *d.PARAM,
        *(key for key in d.FILTER if key not in d.BODY),
        *d.GROUP,
        *d.SUBSCRIPTION,
        *(key for key in d.POLICY if key != "tests"),
        *d.ATTRIBUTE,
        *d.COVERAGE,
        *d.BASELINE,
        *d.ROWS,
        *d.VIEW_OPTIONS,
    }
    # Indexes and the collation decide on the form of the SQL, not on rows.
    elsewhere = {"apiVersion", "dataset", "on", "drift", "severity", "after", "indexes", "collation"}
    assert keys - edited - nested - elsewhere == set()


# --- formats


def every_kind() -> Iterator[Entry]:
    for code, kind in KINDS.items():
        for before, after in ((None, f"new {code}"), (f"old {code}", None), (f"old {code}", f"new {code}")):
            level = kind.levels[0 if before is None else 1 if after is None else 2]
            proof = Proof(SAME) if code in ("rows", "version") else None
            part = "" if kind.what == kind.subject else kind.what.format(2, "that")
            yield Entry(code, f"name_of.{code}", level, part, before, after, Place("catalog/a.yml", 3), proof)


@pytest.mark.parametrize("form", report.FORMATS)
@pytest.mark.parametrize("entry", list(every_kind()), ids=lambda entry: f"{entry.kind} {entry.status}")
def test_each_kind_in_each_format(form: str, entry: Entry) -> None:
    shown = report.FORMATS[form](Review("main", (entry,), 5, 4, (empty(), empty())), {})
    assert entry.name in shown
    assert entry.title in shown.replace("&#95;", "_") or form == "json"
    values = [value for value in (entry.before, entry.after) if value is not None and not entry.proof]
    assert all(value in shown for value in values) or form in ("github", "sarif")
    if form == "json":
        (data,) = json.loads(shown)["entries"]
        assert (data["kind"], data["before"], data["after"], data["title"]) == (
            entry.kind,
            entry.before,
            entry.after,
            entry.title,
        )
    if form == "sarif":
        run = json.loads(shown)["runs"][0]
        assert (
            run["results"][0]["ruleId"] == entry.kind
            and run["tool"]["driver"]["rules"][0]["shortDescription"]["text"] == KINDS[entry.kind].doc
        )
        assert run["results"][0]["level"] == ("note" if entry.level == NOTE else "warning")


# --- edits at random


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a catalog, its keys and items."""
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield (*path, key)
        yield from leaves(inner, (*path, key))


POOL: tuple[Any, ...] = (
    True,
    False,
    1,
    7,
    "5%",
    "large",
    "done",
    "amount > 7",
    "country",
    "bigint",
    "string",
    "accept",
    "value",
    "warn",
    "90 days",
    [],
    {},
)


def edited(rng: random.Random) -> tuple[dict[str, Any], str]:
    """A catalog with one to three edits: a value another, a key gone, a key renamed, an item twice, a list
    turned round.
    """
    catalog = json.loads(json.dumps(CATALOG))
    macros = MACROS
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        path = rng.choice(list(leaves(catalog)))
        parent = catalog
        for key in path[:-1]:
            parent = parent[key]
        last = path[-1]
        old = parent[last]
        match rng.randrange(7):
            case 0:
                del parent[last]
            case 1 if isinstance(parent, dict):
                parent[rng.choice((f"{last}x", f"{last}2"))] = parent.pop(last)
            case 2 if isinstance(old, list):
                old.reverse()
            case 3 if isinstance(old, dict):
                parent[last] = dict(reversed(old.items()))
            case 4 if isinstance(old, bool):
                parent[last] = not old
            case 4 if isinstance(old, int):
                parent[last] = old + rng.choice((-1, 1))
            case 4 | 5 if isinstance(old, str):
                other = str(
                    rng.choice((f"{old} ", f"({old})", old.replace(">", "<"), f"{old}2", old.upper()))
                )
                parent[last] = other
            case 6:
                macros = rng.choice(
                    (
                        MACROS.replace("> 5", "> 6"),
                        MACROS.replace("a comment", "another"),
                        MACROS.replace("spare", "other"),
                    )
                )
            case _:
                parent[last] = rng.choice(POOL)
    return catalog, macros


def test_no_edit_is_silent(shop: Shop) -> None:
    """Edits at random: a review says what changed, or "formatting only", and that only where the manifest
    is the same.
    """
    import os

    import predicat

    loaded = formatting = 0
    for seed in range(int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "80"))):
        rng = random.Random(seed)
        catalog, macros = edited(rng)
        text = dated(catalog)
        if rng.random() < 0.2:
            text = rng.choice(
                (
                    f"# a comment\n{text}",
                    text.replace("sales@example.com", '"sales@example.com"'),
                    f"{text}\n# the end\n",
                )
            )
        found = shop.review(text, macros)
        try:
            manifest = canonical(shop.folder / "after")
        except predicat.PredicatError:
            continue
        loaded += 1
        formatting += found.formatting_only
        assert "other" not in {entry.kind for entry in found.entries}, (seed, found.entries)
        if manifest != shop.manifest_before:
            assert found.entries, (seed, "silent")
        if found.entries == ():
            assert found.formatting_only and "formatting only" in report.FORMATS["text"](found, {}), seed
            assert "ormatting only" in report.FORMATS["markdown"](found, {})
    assert loaded >= 20 and formatting > 2, (loaded, formatting)


def test_a_body_that_is_a_scalar_is_that_scalar(shop: Shop) -> None:
    assert load_catalog(shop.folder / "before" / "catalog").known["orders.small"].current.body == "large"


def test_the_table_of_kinds_names_every_path_once() -> None:
    paths = [kind.path for kind in KINDS.values() if kind.path]
    assert len(paths) == len(set(paths))


# --- entry filters


@pytest.mark.parametrize(
    ("body", "edited"),
    [
        ({"python": "acme.Tagged", "after": "big"}, {"python": "acme.Other", "after": "big"}),
        ({"python": "acme.Tagged", "after": "big"}, {"python": "acme.Tagged"}),
        ({"python": ["acme.Tagged"]}, {"python": ["acme.Tagged", "acme.Other"]}),
    ],
)
def test_another_class_or_native_filter_is_a_change_that_nothing_proves(
    tmp_path: Path, body: dict[str, Any], edited: dict[str, Any]
) -> None:
    head = {"apiVersion": "predicat/v1", "dataset": "orders", "fields": {"amount": "double"}}
    sides = []
    for name, entry in (("before", body), ("after", edited), ("again", edited)):
        catalog = {**head, "filters": {"big": {"sql": "amount > 1"}, "tagged": entry}}
        Shop.write(tmp_path / name, dated(catalog), MACROS)
        sides.append(side(tmp_path / name))
    found = review(sides[0], sides[1], edited=["catalog/orders.yml"]).entries
    (entry,) = [item for item in found if (item.name, item.kind) == ("orders.tagged", "rows")]
    assert entry.proof is not None
    assert entry.proof.verdict.kind == "unsupported"
    assert review(sides[1], sides[2], edited=["catalog/orders.yml"]).entries == ()
