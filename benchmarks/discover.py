"""Searches a folder: `python benchmarks/discover.py [folder|models]`.

CPU seconds of all processes and peak memory of the largest, of `predicat discover` on a folder: with an empty
cache and again, the share of the second run, and the share after an edit of one file. A number stands for as
many generated dbt models, of which an eighth has a mistake.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from compile import PROGRAM

_MODEL = """select o.id, case when o.kind = {number} then 'a' when o.total > {number} then 'b' end as class
from {{{{ ref('orders') }}}} o join {{{{ ref('customers') }}}} c on c.id = o.customer_id and c.active
where o.status = 'open' and o.total > {number} and {test} and {{{{ recent('o.created_at') }}}}
"""
_MACRO = "{% macro recent(column) %}{{ column }} > date '2024-01-01'{% endmacro %}\n"


def main(place: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        folder = scratch / "searched"
        if place.isdigit():
            generate(folder, int(place))
        else:
            shutil.copytree(place, folder, ignore=shutil.ignore_patterns(".git"))
        cold, peak, found = search(folder, scratch / "cache")
        again, least, same = search(folder, scratch / "cache")
        if found != same:
            sys.exit("the second run found something else")
        file = min(folder.rglob("*.sql"), key=lambda path: path.stat().st_size)
        file.write_text(file.read_text() + "\n-- edited\n")
        edited, _, _ = search(folder, scratch / "cache")
        count = sum(1 for path in folder.rglob("*.sql"))
        print(f"discover on {count:,} files of SQL: {cold:.1f} s CPU, {peak / 1e6:,.0f} MB")
        print(f"again: {again:.1f} s CPU, {least / 1e6:,.0f} MB")
        print(f"share of the second run: {again / cold:.0%}, after an edit of one file {edited / cold:.0%}")


def generate(folder: Path, count: int) -> None:
    """A dbt project with a macro and some models."""
    for part in ("macros", "models"):
        (folder / part).mkdir(parents=True)
    (folder / "dbt_project.yml").write_text("name: generated\nprofile: generated\n")
    (folder / "profiles.yml").write_text("generated: {target: dev, outputs: {dev: {type: postgres}}}\n")
    (folder / "macros" / "recent.sql").write_text(_MACRO)
    for number in range(count):
        test = f"o.kind = {number} and o.kind = {number + 1}" if number % 8 == 0 else f"o.kind <> {number}"
        (folder / "models" / f"model{number}.sql").write_text(_MODEL.format(number=number, test=test))


def search(folder: Path, cache: Path) -> tuple[float, int, str]:
    """CPU seconds of all processes, bytes of the largest, and the output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, __file__, "--one", str(folder)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PREDICAT_CACHE": str(cache)},
    )
    if done.returncode:
        sys.exit(f"predicat discover ended with exit code {done.returncode}:\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    output, _, peak = done.stdout.rpartition("\n")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, int(peak), output


def one(folder: str) -> None:
    """One run, with the memory of the largest of its processes as the last line."""
    done = subprocess.run(
        [*PROGRAM, "discover", "."], cwd=folder, check=False, capture_output=True, text=True
    )
    if done.returncode:
        sys.stderr.write(done.stderr)
        sys.exit(done.returncode)
    unit = 1 if sys.platform == "darwin" else 1_024
    print(done.stdout + "\n" + str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit), end="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place", nargs="?", default="1000")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    one(given.place) if given.one else main(given.place)
