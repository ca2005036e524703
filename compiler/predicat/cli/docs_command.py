"""predicat docs."""

from __future__ import annotations

import functools
import http.server
import json
from pathlib import Path

import click

from predicat.cli.bars import bar
from predicat.cli.options import FOLDER, load_quietly, needs_review, option, options
from predicat.cli.output import FORMAT, show
from predicat.cli.selection import Selection
from predicat.diagnostics.messages import commands as say

OUT = option("--out", "The folder of the site.", below="target/site", type=FOLDER)
HISTORY = option(
    "--history",
    "The results of predicat quality run, which the pages show over time.",
    below="target/quality/history.jsonl",
)
CHANGES = option(
    "--changes NUMBER",
    "How many commits are searched for the last changes of filters. They are shown with their proofs.",
    default=10,
    type=click.IntRange(min=0),
)


@click.group("docs", help="Build the catalog as a static web site.")
def command() -> None:
    """Hold the subcommands."""


@command.command(
    "build",
    help=(
        "Write the site. It works from file:// and from any web server. With selectors: only the pages of "
        "these filters and of those that they refer to."
    ),
)
@options
def build(
    *,
    selection: Selection,
    out: Path = OUT,
    no_proofs: bool = option("--no-proofs", "Do not compare each version with the one before, nor commits."),
    coverage: Path | None = option(
        "--coverage",
        "A report of predicat quality run --format json. Its figures appear on the pages of the filters.",
    ),
    history: Path = HISTORY,
    changes: int = CHANGES,
    form: str = FORMAT,
) -> None:
    figures = _figures(coverage) if coverage else None
    commits = 0 if no_proofs else changes
    pages = _build(selection, out, history, commits, proofs=not no_proofs, coverage=figures)
    data = {"folder": str(out), "pages": pages}
    show(form, data, lambda: f"{out / 'index.html'}: {pages} pages")


@command.command("serve", help="Build the site and serve it on localhost.")
@options
def serve(
    *,
    selection: Selection,
    out: Path = OUT,
    history: Path = HISTORY,
    changes: int = CHANGES,
    port: int = option("--port NUMBER", "The port.", default=8080),
) -> None:
    _build(selection, out, history, changes, proofs=True)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(out))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise click.UsageError(say.bad_port(port, error.strerror)) from None
    with server:
        click.echo(f"http://127.0.0.1:{server.server_port}/ (stop with Ctrl+C)")
        server.serve_forever()


def _figures(report: Path) -> dict[str, dict[str, str]]:
    """The figures of each filter out of a quality report."""
    try:
        result: dict[str, dict[str, str]] = {}
        for run in json.loads(report.read_text(encoding="utf-8")):
            rows = (run["measure"] or {}).get("rows", 0)
            for name, count in (run["measure"] or {}).get("filters", {}).items():
                broken = [
                    check["message"]
                    for check in run["checks"]
                    if check["name"] == name and check["status"] != "pass"
                ]
                result[name] = {
                    "rows accepted": (
                        f"{count['accepted']:,} of {rows:,} ({count['accepted'] / max(rows, 1):.2%})"
                    ),
                    "UNKNOWN": f"{count['unknown']:,} ({count['unknown'] / max(rows, 1):.2%})",
                    "bounds": "; ".join(broken) or "hold",
                }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise click.UsageError(say.bad_report(report, error)) from None
    return result


def _build(
    selection: Selection,
    out: Path,
    history: Path,
    commits: int,
    *,
    proofs: bool,
    coverage: dict[str, dict[str, str]] | None = None,
) -> int:
    needs_review()
    from predicat.catalog.lock import lock_path, read_lock_file  # noqa: PLC0415  # not for --help
    from predicat.quality import stores  # noqa: PLC0415  # as above
    from predicat.quality.history import by_filter  # noqa: PLC0415  # as above
    from predicat.review.history import last_changes  # noqa: PLC0415  # as above
    from predicat.site.build import build as write  # noqa: PLC0415  # as above

    catalog = load_quietly(selection.folder, selection.variables)
    lock = read_lock_file(lock_path(selection.folder))
    if not selection.everything:
        catalog = catalog.only(filter_.qualified for filter_ in selection.filters(catalog))
    with bar() as progress:
        task = progress.add_task("pages", total=len(catalog.filters()))
        return write(
            catalog,
            out,
            proofs=proofs,
            coverage=coverage,
            history=by_filter(stores.read(history) if history.exists() else ()),
            released={name.partition("@")[0] for name in lock.lock.versions} if lock is not None else None,
            changes=last_changes(selection.folder, selection.variables, commits),
            advance=lambda step: progress.update(task, advance=step),
        )
