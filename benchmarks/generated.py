"""Generated catalogs, which several benchmarks measure."""

from pathlib import Path

HEAD = """apiVersion: predicat/v1
dataset: generated{number}
relation: {{spark: t, postgres: public.t}}
fields: {{a: bigint, b: double, s: string, t: timestamp}}
filters:
"""
TOP = """  f{number}:
    description: >
      Filter number {number} of a generated catalog, with a description
      that takes some lines, as those of people do.
    owner: team{team}@example.com
    tags:
      - generated
      - team{team}
"""
ONE = """    {language}: >-
      {second}
"""
TWO = """    latest: 2
    versions:
      1:
        {language}: {first}
        deprecated: 2030-12-31
      2:
        {language}: {second}
"""
END = """    on_unknown: reject
    tests:
      - row:
          a: {above}
          s: x{number}
        matches: true
      - row:
          a: {number}
          s: y
        matches: false
      - {{row: {{}}, matches: unknown}}
    coverage:
      at_least: 1%
      at_most: 90%
"""


def write(folder: Path, count: int, body: str, per_file: int = 500) -> None:
    """Write `count` filters with a body (ONE or TWO versions each) as files of a catalog."""
    for start in range(0, count, per_file):
        text = HEAD.format(number=start // per_file)
        for number in range(start, min(start + per_file, count)):
            language = "sql" if number % 2 else "cel"
            joined = "AND" if number % 2 else "&&"
            quoted = f"= 'x{number}'" if number % 2 else f'== "x{number}"'
            text += (TOP + body + END).format(
                number=number,
                team=number % 20,
                language=language,
                above=number + 1,
                first=f"a > {number}",
                second=f"a > {number} {joined} s {quoted}",
            )
        (folder / f"generated{start // per_file}.yml").write_text(text)


MIXED_HEAD = """apiVersion: predicat/v1
dataset: mixed{number}
relation: mixed{number}
fields: {{id: bigint, user_id: bigint, country: string, amount: double, price: "decimal(10,2)",
  qty: bigint, ts: timestamp, d: date, s: string, paid: boolean,
  tags: array<string>, attrs: "map<string, string>", doc: json, email: string}}
filters:
"""
# Conditions of twenty kinds, as analysts write them.
MIXED = (
    "country = 'C{few}' AND amount > {number}",
    "qty BETWEEN {number} AND {above}",
    "s LIKE 'x{number}%'",
    "country IN ('C{few}', 'D{few}') OR qty > {number}",
    (
        "ts >= TIMESTAMP '2024-01-{day} 00:00:00' AND ts < TIMESTAMP '2024-02-{day} 00:00:00' AND user_id "
        "= {number}"
    ),
    "lower(country) = 'de' AND qty > {number}",
    "attrs['k{number}'] = 'v'",
    "exists(tags, t -> t = 'x{number}')",
    "email LIKE '%@host{number}.com'",
    "coalesce(qty, 0) > {number}",
    "d + 7 > DATE '2024-03-{day}' AND id = {number}",
    "paid AND price > {number}.5",
    "country <> 'C{few}' AND qty < {number}",
    "s IS NULL OR s = 'v{number}'",
    "NOT (country = 'C{few}' OR qty = {number})",
    "amount * 1.5 > {number}",
    "year(ts) = {year} AND user_id > {number}",
    "user_id = {number} OR (qty > {few} AND paid)",
    "substring(s, 1, 3) = 'a{few}' AND qty <> {number}",
    "doc['k']['n'] = {number}",
)


def write_mixed(folder: Path, count: int, per_file: int) -> None:
    """Write `count` filters of twenty kinds, `per_file` in a file and dataset. Of each hundred, five are a
    group, and five an exclusive one.
    """
    for start in range(0, count, per_file):
        text = MIXED_HEAD.format(number=start // per_file)
        for number in range(start, min(start + per_file, count)):
            body = MIXED[number % len(MIXED)].format(
                number=number,
                above=number + 17,
                few=number % 50 + 10,
                day=f"{number % 27 + 1:02}",
                year=1900 + number % 150,
            )
            text += (
                f'  f{number}: {{description: Filter {number}., owner: team@example.com, sql: "{body}"}}\n'
            )
        text += "groups:\n  none: {filters: []}\n"
        for first in range(start, min(start + per_file, count) - 99, 100):
            text += (
                f"  g{first}: {{filters: [{', '.join(f'f{first + step}' for step in (0, 1, 3, 5, 11))}]}}\n"
            )
            text += (
                f"  e{first}: {{filters: [{', '.join(f'f{first + step}' for step in (4, 6, 24, 26, 46))}], "
                "exclusive: true}\n"
            )
        (folder / f"mixed{start // per_file}.yml").write_text(text)
