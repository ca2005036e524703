"""The policies of shapes.yml as catalogs, and the sessions of five roles."""

import random
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from predicat.catalog import Catalog, load_catalog

DATA: Mapping[str, Any] = yaml.safe_load((Path(__file__).parent / "shapes.yml").read_text())
SHAPES: Mapping[str, str] = DATA["shapes"]
REFUSED: Mapping[str, Mapping[str, str]] = DATA["refused"]
TENANTS = [f"{number:08x}-0000-4000-8000-000000000000" for number in range(1, 4)]
PEOPLE = [f"00000000-0000-4000-8000-{number:012x}" for number in range(1, 6)]
NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
# The attributes of the session of each role. One has none, and one has empty lists.
SESSIONS: dict[str, dict[str, Any]] = {
    "reader": {
        "tenant": TENANTS[0],
        "org": 1,
        "uid": PEOPLE[0],
        "user": "ann",
        "email_of_user": "ann@example.com",
        "team": 1,
        "teams": [1, 2],
        "regions": ["EU"],
        "unit": "a.b",
        "clearance": 2,
        "is_admin": False,
        "since": NOW - timedelta(days=10),
        "day": NOW.date() - timedelta(days=5),
    },
    "editor": {
        "tenant": TENANTS[1],
        "org": 2,
        "uid": PEOPLE[1],
        "user": "bob",
        "email_of_user": "Bob@Example.com",
        "team": 2,
        "teams": [2, 3, 4],
        "regions": ["EU", "US"],
        "unit": "a",
        "clearance": 3,
        "is_admin": False,
        "since": NOW,
        "day": NOW.date(),
    },
    "admin": {
        "tenant": TENANTS[2],
        "org": 3,
        "uid": PEOPLE[2],
        "user": "*",
        "email_of_user": "c@other.org",
        "team": 4,
        "teams": [],
        "regions": [],
        "unit": "é",
        "clearance": 5,
        "is_admin": True,
    },
    "partner": {"tenant": TENANTS[0], "teams": [3], "unit": "b", "user": "ann", "regions": ["US", "ASIA"]},
    "nobody": {},
}


def params_of(text: str) -> dict[str, str]:
    """The attributes that a condition names, with the types of parameters."""
    kinds = {
        name: row["type"] for name, row in DATA["attributes"].items() if re.search(rf"(?<!:):{name}\b", text)
    }
    return {name: "string" if kind == "uuid" else kind for name, kind in kinds.items()}


def definition(conditions: Mapping[str, str], policies: Mapping[str, Any]) -> dict[str, Any]:
    """A catalog file with conditions as filters, and policies that use them."""
    filters = {
        name: {"postgres": text, **({"params": params} if (params := params_of(text)) else {})}
        for name, text in conditions.items()
    }
    return {
        "apiVersion": "predicat/v1",
        "dataset": "documents",
        "relation": {"postgres": "public.documents"},
        "fields": DATA["fields"],
        "attributes": DATA["attributes"],
        "filters": filters,
        "policies": dict(policies),
    }


def catalog(folder: Path, conditions: Mapping[str, str], policies: Mapping[str, Any]) -> Catalog:
    (folder / "documents.yml").write_text(yaml.safe_dump(definition(conditions, policies), sort_keys=False))
    return load_catalog(folder)


def rows(number: int, seed: int, now: datetime = NOW) -> list[dict[str, Any]]:
    """Rows with many of the values that the sessions have, of times around `now`, and NULL."""
    chance = random.Random(seed)

    def maybe(values: list[Any]) -> Any:
        return chance.choice([None, *values]) if chance.random() < 0.5 else chance.choice(values)

    def moment() -> Any:
        return maybe([now + timedelta(days=days) for days in (-60, -31, -10, -5, 0, 1, 30)])

    names = ["ann", "bob", "*", "example.com", "", "ANN"]
    paths = ["", "a", "a.b", "a.b.c", "a.bc", "ab", "b", "b.a", "a.", "é"]

    def some(values: list[Any]) -> Any:
        return None if chance.random() < 0.1 else chance.sample(values, chance.randint(0, 3))

    return [
        {
            "id": number_,
            "tenant_id": maybe(TENANTS),
            "org_id": maybe([1, 2, 3]),
            "owner_id": maybe(PEOPLE),
            "author": maybe(names),
            "team_id": maybe([1, 2, 3, 4]),
            "team_ids": some([1, 2, 3, 4]),
            "shared_with": some(names),
            "viewer_ids": some(PEOPLE),
            "path": maybe(paths),
            "status": maybe(["draft", "locked", "done", ""]),
            "visibility": maybe(["public", "org", "private", "x"]),
            "region": maybe(["EU", "US", "ASIA", ""]),
            "published": maybe([True, False]),
            "published_at": moment(),
            "starts_at": moment(),
            "ends_at": moment(),
            "deleted_at": moment(),
            "created_on": maybe([date(2026, 3, 10), date(2026, 3, 15), date(2026, 3, 1)]),
            "level": maybe([0, 1, 2, 3, 5]),
            "amount": maybe([Decimal("0.00"), Decimal("999.99"), Decimal("1000.00"), Decimal("3000.00")]),
            "email": maybe(["ann@example.com", "ANN@EXAMPLE.COM", "bob@example.com", ""]),
            "labels": maybe(
                [{"team": "a.b"}, {"team": None}, {"access": "public"}, {"owner": "ann"}, {}, []]
            ),
        }
        for number_ in range(number)
    ]
