"""Baselines of `lint` and `discover`: what is told of them, and how they are written anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.diagnostics.wording import quantity

if TYPE_CHECKING:
    from predicat.lint import Finding
    from predicat.lint.baseline import BaselineResult


def tell(baseline: Path, result: BaselineResult[Any], *, whole: bool) -> None:
    """How many findings a baseline has and, if everything was judged, which of its lines are stale."""
    if result.accepted:
        click.echo(f"{quantity(result.accepted, 'known finding')} in {baseline}", err=True)
    if whole and result.stale:
        click.echo(
            f"{baseline} has {quantity(len(result.stale), 'stale line')}; --update-baseline removes them:",
            err=True,
        )
        for item in result.stale:
            click.echo(f"  {item.code} {item.hash} {item.about}", err=True)


def update(
    baseline: Path,
    findings: Sequence[Finding],
    wanted: Callable[[Finding], bool],
    judged: Callable[[str], bool],
) -> None:
    """Write the `wanted` findings, and keep the entries of rules that were not judged. A file that is no
    baseline is not overwritten: raises PredicatError.
    """
    from predicat.lint import baseline as lines  # noqa: PLC0415  # not for --help

    before = lines.read(baseline) if baseline.exists() else []
    result = lines.apply_baseline(findings, before, judged)
    new = [item for item in result.new if wanted(item)]
    gone = {id(item) for item in result.stale}
    total = lines.write(baseline, new, [item for item in before if id(item) not in gone])
    click.echo(f"{baseline}: {quantity(total, 'finding')}, {len(new)} new, {len(result.stale)} gone")
