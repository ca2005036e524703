"""A realistic mix of many filters on messages, and messages, which several benchmarks match.

Of 100 filters, 35 ask for a tenant and a range or some regions; 15 for a type and a range; 10 for one of two
types and not a region; 15 for a value of a header; 10 for a type and LIKE; 5 for a tenant or a type in a
region; 10 have no
equality: a range, a prefix or a text within another, and a negation. A message is accepted by about 3 of
10,000.
"""

import random
from typing import Any

FIELDS = {
    "tenant": "string",
    "type": "string",
    "region": "string",
    "topic": "string",
    "agent": "string",
    "amount": "double",
    "quantity": "bigint",
    "headers": "map<string, string>",
}
TENANTS, TYPES, REGIONS, KEYS = 2_000, 200, 12, 40
_WORDS = [f"{a}{b}{c}" for a in "bdklmnprst" for b in "aeiou" for c in "nrstl"]


def filters(count: int, seed: int = 7) -> list[str]:
    """Conditions in SQL."""
    rng = random.Random(seed)  # nothing secret
    return [_condition(rng, number % 100) for number in range(count)]


def _condition(rng: random.Random, kind: int) -> str:
    tenant, kinds = f"tenant = 't{rng.randrange(TENANTS)}'", [f"'y{rng.randrange(TYPES)}'" for _ in range(2)]
    regions = [f"'r{number}'" for number in rng.sample(range(REGIONS), 3)]
    low, many = rng.randrange(950), rng.randrange(9_000)
    if kind < 20:
        return f"{tenant} AND amount > {low} AND region IN ({', '.join(regions)})"
    if kind < 35:
        return f"{tenant} AND quantity BETWEEN {many} AND {many + 1_000}"
    if kind < 50:
        return f"type = {kinds[0]} AND amount BETWEEN {low} AND {low + 50}"
    if kind < 60:
        return (
            f"(type = {kinds[0]} OR type = {kinds[1]}) AND NOT region = {regions[0]} AND amount > "
            f"{900 + low // 10}"
        )
    if kind < 75:
        value = rng.randrange(500)
        return f"headers['k{rng.randrange(KEYS)}'] = 'v{value}' AND quantity > {many}"
    if kind < 85:
        return f"type = {kinds[0]} AND topic LIKE '{rng.choice(_WORDS)}.%' AND amount > {low}"
    if kind < 90:
        return f"{tenant} OR (type = {kinds[0]} AND region = {regions[0]} AND quantity < {many // 10})"
    if kind < 94:
        return f"amount BETWEEN {low} AND {low + 2} AND NOT region IN ({', '.join(regions)})"
    if kind < 97:
        return f"topic LIKE '{rng.choice(_WORDS)}.{rng.choice(_WORDS)}%' AND quantity > {many}"
    return f"agent LIKE '%{rng.choice(_WORDS)}{rng.choice(_WORDS)[:2]}%' AND region <> {regions[0]}"


def messages(count: int, seed: int = 8) -> list[dict[str, Any]]:
    """Rows of the fields."""
    rng = random.Random(seed)  # nothing secret
    return [
        {
            "tenant": f"t{rng.randrange(TENANTS)}",
            "type": f"y{rng.randrange(TYPES)}",
            "region": f"r{rng.randrange(REGIONS)}",
            "topic": ".".join(rng.choice(_WORDS) for _ in range(3)),
            "agent": f"{rng.choice(_WORDS)}{rng.choice(_WORDS)}/{rng.randrange(20)}.{rng.randrange(9)}",
            "amount": round(rng.uniform(0, 1_000), 2),
            "quantity": rng.randrange(10_000),
            "headers": {f"k{rng.randrange(KEYS)}": f"v{rng.randrange(500)}" for _ in range(5)},
        }
        for _ in range(count)
    ]
