"""predicat docs"""

from __future__ import annotations

import functools
import http.server
import sys
from pathlib import Path

import click

from predicat.cli.options import catalog_option, load_quietly, needs_review, pairs, vars_option

out_option = click.option("--out", default="target/site", show_default=True, type=click.Path(path_type=Path), help="The folder of the site.")


@click.group("docs", help="The catalog as a static web site.")
def command() -> None:
    """The group."""


@command.command("build", help="Write the site: it works from file:// and from any web server.")
@catalog_option
@vars_option
@out_option
@click.option("--no-proofs", is_flag=True, help="Do not compare each version with the one before it.")
def build(folder: Path, variables: tuple[str, ...], out: Path, *, no_proofs: bool) -> None:
    pages = _build(folder, variables, out, proofs=not no_proofs)
    click.echo(f"{out / 'index.html'}: {pages} pages")


@command.command("serve", help="Build the site and serve it on this machine.")
@catalog_option
@vars_option
@out_option
@click.option("--port", default=8080, show_default=True, help="The port.")
def serve(folder: Path, variables: tuple[str, ...], out: Path, port: int) -> None:
    _build(folder, variables, out, proofs=True)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(out))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise click.UsageError(f"port {port} cannot be used: {error.strerror}") from None
    with server:
        click.echo(f"http://127.0.0.1:{server.server_port}/ (end with Ctrl+C)")
        server.serve_forever()


def _build(folder: Path, variables: tuple[str, ...], out: Path, *, proofs: bool) -> int:
    needs_review()
    from rich.progress import Progress  # noqa: PLC0415  # not for --help

    from predicat.review.site.build import build as write  # noqa: PLC0415  # as above

    catalog = load_quietly(folder, pairs("--var", variables))
    with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("pages", total=len(catalog.filters()))
        return write(catalog, out, proofs=proofs, advance=lambda step: progress.update(task, advance=step))
