"""predicat diff"""

from __future__ import annotations

import importlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.options import SECONDS, catalog_option, failure_as_review, load_quietly, needs_review, pairs, vars_option

if TYPE_CHECKING:
    from predicat.catalog import Catalog
    from predicat.review.changes import Changes
    from predicat.review.counts import Counts
    from predicat.review.snapshot import Snapshot

MEASURED = 50
"""Filters whose tests are measured; a review of more of them does without those figures."""
FORMATS = ("text", "markdown", "json", "github", "sarif")


@click.command("diff", help="Compare the catalog with a git revision (by default where the branch left main) or with a manifest. "
               "Exit code 1 if rows of a filter change, 2 for wrong use or a catalog with problems.")  # fmt: skip
@click.argument("base", required=False)
@catalog_option
@vars_option
@click.option("--format", "form", default="text", show_default=True, type=click.Choice(FORMATS), help="The form of the review.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the review to a file.")
@click.option("--timeout", default=5.0, show_default=True, type=SECONDS, help="Seconds for the proof of one pair of predicates.")
@click.option("--data", multiple=True, metavar="[DATASET=]SOURCE",
              help="Count gained and lost rows: a Parquet, JSON or CSV path or a table on Spark, or a PostgreSQL DSN.")  # fmt: skip
@click.option("--master", default="local[*]", show_default=True, help="The Spark master for --data.")
@failure_as_review
def command(base: str | None, folder: Path, variables: tuple[str, ...], form: str, out: Path | None, timeout: float,
            data: tuple[str, ...], master: str) -> None:  # fmt: skip
    needs_review()
    from predicat.catalog.manifest import write_text  # noqa: PLC0415  # not for --help
    from predicat.review import report  # noqa: PLC0415  # as above
    from predicat.review.changes import changes, with_test_figures  # noqa: PLC0415  # as above

    label, before, after, catalog = _sides(base, folder, pairs("--var", variables))
    found = changes(before, after, label, timeout)
    if catalog is not None and len(found.filters) <= MEASURED:
        found = with_test_figures(found, partial(_figures, catalog))
    counts: dict[str, Counts] = {}
    for source in data:
        counts.update(_counted(found, after, catalog, source, master))
    shown = report.FORMATS[form](found, counts)
    if out is None:
        click.echo(shown, nl=False)
    else:
        write_text(out, shown)
    if any(change.changes_rows for change in found.filters):
        raise click.exceptions.Exit(1)


def _figures(catalog: Catalog, name: str) -> str:
    from predicat.review.coverage import measure  # noqa: PLC0415  # not for --help

    row = catalog.known.get(name)
    found = measure(row, timeout=0.2) if row is not None and row.tests else None
    return "" if found is None and row is not None and row.tests else found.short() if found else "no tests"


def _sides(base: str | None, folder: Path, variables: dict[str, str]) -> tuple[str, Snapshot, Snapshot, Catalog | None]:
    """The name of the base, both snapshots, and the catalog of the second."""
    from predicat.review import snapshot  # noqa: PLC0415  # not for --help

    if base is not None and base.endswith(".json"):
        catalog = load_quietly(folder, variables)
        return base, snapshot.of_manifest(Path(base)), snapshot.of_catalog(catalog), catalog
    from predicat.diagnostics import PredicatError, messages  # noqa: PLC0415  # as above
    from predicat.review import git  # noqa: PLC0415  # as above

    root = git.repository(folder)
    revision = git.commit(root, base) if base else git.default_base(root)
    label = base or revision[:12]
    own = folder.resolve().relative_to(root.resolve())
    macros = own.parent / "macros"
    touched = git.changed_files(root, revision, [own, macros])
    if not touched:
        return label, snapshot.EMPTY, snapshot.EMPTY, None
    with git.checkout(root, revision, [own, macros]) as old:
        whole = any(path.is_relative_to(macros) for path in touched)
        sides: list[Snapshot] = []
        loaded: Catalog | None = None
        files = [None if whole else snapshot.relevant_files(place / own, [place / path for path in touched]) for place in (old, root.resolve())]
        for place, chosen in zip((old, root.resolve()), files, strict=True):
            if chosen == [] or not (place / own).exists():
                sides.append(snapshot.EMPTY)
                continue
            try:
                loaded = load_quietly(place / own, variables, chosen)
            except PredicatError as error:
                if place is not old:
                    raise
                found = [item.elsewhere(f"{place.resolve()}/", f"{label}:") for item in error.diagnostics]
                raise PredicatError([messages.broken_base(label), *found]) from None
            sides.append(snapshot.of_catalog(loaded))
        return label, sides[0], sides[1], loaded


def _counted(found: Changes, after: Snapshot, catalog: Catalog | None, source: str, master: str) -> dict[str, Counts]:
    from predicat.review.counts import questions  # noqa: PLC0415  # not for --help

    if source.startswith(("postgresql://", "postgres://")):
        from predicat.deploy import server  # noqa: PLC0415  # as above
        from predicat.review import postgres  # noqa: PLC0415  # as above

        asked, refused = questions(found, "postgres")
        with server.connect(source, Path("target/postgres")) as connection:
            return {**refused, **postgres.count(connection, asked, after.relations)}
    dataset, sign, path = source.partition("=")
    datasets = catalog.datasets if catalog is not None else {}
    if not sign or dataset not in datasets:
        touched = list(dict.fromkeys(change.state.dataset for change in found.filters if change.changes_rows))
        if len(touched) > 1:
            raise click.UsageError(f"several datasets changed; write --data DATASET={source}, one of {', '.join(touched)}")
        if not touched:
            return {}
        dataset, path = touched[0], source
    asked, refused = questions(found, "spark")
    mine = [question for question in asked if question.dataset == dataset]
    engine: Any = importlib.import_module("predicat_spark.differences")
    counted: dict[str, Counts] = engine.count(path, datasets[dataset], mine, master) if mine else {}
    return {**{name: counts for name, counts in refused.items() if name.startswith(f"{dataset}.")}, **counted}
