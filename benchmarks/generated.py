"""Generated catalogs, which several benchmarks measure."""

from __future__ import annotations

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
            text += (TOP + body + END).format(number=number, team=number % 20, language=language, above=number + 1,
                                first=f"a > {number}", second=f"a > {number} {joined} s {quoted}")  # fmt: skip
        (folder / f"generated{start // per_file}.yml").write_text(text)
