"""Checks and compiles generated catalogs: `python benchmarks/compile.py [filters]`.

Prints CPU seconds of `predicat compile` on a catalog of generated filters (25 lines of YAML each, SQL and CEL in turn), and on one
of as many filters with two versions each, cold and unchanged, and of `predicat --help` and `predicat check` on the reference catalog, with the ratio to reading the same
files with PyYAML's C loader alone.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

BYTE_CODE = tempfile.TemporaryDirectory()
ROOT = Path(__file__).resolve().parent.parent
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
    for start in range(0, count, per_file):
        text = HEAD.format(number=start // per_file)
        for number in range(start, min(start + per_file, count)):
            language = "sql" if number % 2 else "cel"
            joined = "AND" if number % 2 else "&&"
            quoted = f"= 'x{number}'" if number % 2 else f'== "x{number}"'
            text += (TOP + body + END).format(number=number, team=number % 20, language=language, above=number + 1,
                                first=f"a > {number}", second=f"a > {number} {joined} s {quoted}")  # fmt: skip
        (folder / f"generated{start // per_file}.yml").write_text(text)


def cpu(*command: str, cwd: Path = ROOT, cache: str | None = None) -> float:
    """CPU seconds of a command, with Python's byte code kept as an installed program has it; `cache` is the user's cache folder."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": BYTE_CODE.name} | ({"XDG_CACHE_HOME": cache} if cache else {})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=cwd, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(count: int) -> None:
    program = str(Path(sys.executable).parent / "predicat")
    print(f"predicat --help: {min(cpu(program, '--help') for _ in range(3)):.2f} s CPU")
    with tempfile.TemporaryDirectory() as name:
        changed = min(cpu(program, "check", cache=f"{name}/{run}") for run in range(5))
        unchanged = min(cpu(program, "check", cache=f"{name}/0") for _ in range(3))
        print(f"predicat check on the reference catalog: changed {changed:.2f} s CPU, unchanged {unchanged:.2f} s CPU")
    for what, body in ((f"{count} filters", ONE), (f"{count} filters of two versions", TWO)):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "catalog"
            folder.mkdir()
            write(folder, count, body)
            start = time.process_time()
            for file in folder.iterdir():
                yaml.compose(file.read_text(), Loader=yaml.CSafeLoader)
            plain = time.process_time() - start
            cold = cpu(program, "compile", cwd=Path(name))
            unchanged = cpu(program, "compile", cwd=Path(name))
            print(f"{what}: cold {cold:.1f} s, unchanged {unchanged:.2f} s; YAML alone {plain:.1f} s; ratio {cold / plain:.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
