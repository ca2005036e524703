"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from predicat.catalog import Catalog

catalog_option = click.option(
    "--catalog", "folder", default="catalog", show_default=True, type=click.Path(path_type=Path), help="The catalog folder."
)
vars_option = click.option("--var", "variables", multiple=True, metavar="NAME=VALUE", help="A value for a Jinja variable.")
dsn_option = click.option("--dsn", help="postgresql://... ; without it the PG* variables, else an embedded server.")

SECONDS = click.FloatRange(min=0, min_open=True)
"""A time limit."""


def pairs(option: str, texts: tuple[str, ...], shape: str = "NAME=VALUE") -> dict[str, str]:
    """The values of an option that is given once for each name."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise click.UsageError(f"{option} takes {shape}, not {text!r}")
        found[name] = value
    return found


def load(folder: Path, variables: tuple[str, ...] = (), *, quiet: bool = False) -> Catalog:
    """The catalog, with its warnings printed unless `quiet`."""
    from predicat.catalog import load_catalog  # noqa: PLC0415  # loaded when a command runs, not for --help

    found = load_catalog(folder, variables=pairs("--var", variables))
    for warning in () if quiet else found.warnings:
        click.echo(warning.render() + "\n", err=True)
    return found


def load_quietly(folder: Path, variables: dict[str, str], files: Collection[Path] | None = None) -> Catalog:
    """The catalog, or some files of it, without its warnings and with its inline tests left alone."""
    from predicat.catalog import load_catalog  # noqa: PLC0415  # loaded when a command runs, not for --help

    return load_catalog(folder, variables=variables, files=files, tests=False)


def needs_review() -> None:
    """Raise PredicatError unless the solver is installed."""
    from predicat.diagnostics import extras  # noqa: PLC0415  # not for --help

    extras.require("z3")
