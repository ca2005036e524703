"""What shells offer for a selector: names of datasets and filters, tags, owners, states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from predicat.diagnostics import PredicatError

if TYPE_CHECKING:
    from predicat.catalog.model import WrittenFilter

_SIGNS = re.compile(r"(?:.*,)?(?:[0-9]*\+)?", re.DOTALL)


def selectors(context: click.Context, text: str) -> list[str]:
    """The selectors that begin with a text. Nothing where the catalog cannot be read: a shell shows no
    problems.

    The files are read, and no filter is checked.
    """
    from predicat.catalog.load import read_definitions  # noqa: PLC0415  # only when a shell asks

    folder = context.params.get("folder")
    rows: list[WrittenFilter] = []
    named: list[str] = []
    with suppress(PredicatError, OSError):
        datasets = read_definitions(Path(folder or "catalog")).datasets.values()
        rows = [filter_ for dataset in datasets for filter_ in dataset.filters.values()]
        named = [name for dataset in datasets for name in dataset.subscriptions]
    match = _SIGNS.match(text)
    signs = match[0] if match is not None else ""
    wanted = text.removeprefix(signs)
    return [signs + name for name in dict.fromkeys(_offered(rows, named, wanted)) if name.startswith(wanted)]


def _offered(rows: Iterable[WrittenFilter], subscriptions: Iterable[str], text: str) -> Iterator[str]:
    from predicat.catalog.select import METHODS, STATES  # noqa: PLC0415  # only when a shell asks

    method = text.partition(":")[0] if ":" in text else ""
    if method == "tag":
        yield from (f"tag:{tag}" for filter_ in rows for tag in filter_.tags)
    elif method == "owner":
        yield from (f"owner:{filter_.owner}" for filter_ in rows if filter_.owner)
    elif method == "language":
        yield from (f"language:{filter_.versions[filter_.latest].language}" for filter_ in rows)
    elif method == "subscription":
        yield from (f"subscription:{name}" for name in subscriptions)
    elif method == "state":
        yield from (f"state:{state}" for state in STATES)
    else:
        yield from (filter_.qualified for filter_ in rows)
        yield from (filter_.name for filter_ in rows)
        yield from (filter_.dataset for filter_ in rows)
        yield from subscriptions
        yield from (f"{name}:" for name in METHODS)
