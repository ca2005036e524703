"""predicat plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from predicat.cli.apply_command import Target, needs_views
from predicat.cli.options import CATALOG, VARIABLES, load, option, options
from predicat.cli.output import FORMAT, show, text_of
from predicat.cli.project import connect
from predicat.diagnostics.wording import quantity


@click.command(
    "plan",
    help=(
        "Print what predicat apply would do: each change with its causes, its SQL and its lock, and the SQL "
        "that undoes it. With --out, the plan can be approved and then be applied by predicat apply --plan."
    ),
)
@options
def command(
    *,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    target: Target,
    out: Path | None = option(
        "--out FILE",
        "Write the plan, as JSON, to this file.",
        type=click.Path(path_type=Path, dir_okay=False),
    ),
    form: str = FORMAT,
) -> None:
    from predicat.catalog.project import load_project  # noqa: PLC0415  # not for --help

    catalog, name = load(folder, variables), load_project(folder).catalog
    with connect(target.dsn, target.data) as connection:
        from predicat.deploy import approval, deployment  # noqa: PLC0415  # needs the driver, which connect asks for

        plan = deployment.plan(catalog, connection, name, target.schema, target.rules())
        document = approval.document(connection, plan, target.options())
    if out is not None:
        from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help

        write_text(out, text_of(document) + "\n")
    show(form, document, lambda: "\n".join(_lines(document)))
    needs_views(plan, catalog)


def _lines(document: dict[str, Any]) -> list[str]:
    lines = [f"install {name}" for name in document["functions"]] + document["lists"]
    lines += document["filter_functions"]
    for row in document["changes"]:
        lines.append(f"{row['action']} {row['view']}: {row['reason']}")
        lines += [f"  also {reader}" for reader in row["readers"]]
        lines.append(f"  lock: {row['lock']}")
        lines += [f"  {line}" for statement in row["sql"] for line in f"{statement};".splitlines()]
    for row in document["policies"]:
        lines.append(f"{row['action']} {row['policy']}: {row['reason']}")
        lines.append(f"  lock: {row['lock']}")
        lines += [f"  {line}" for statement in row["sql"] for line in f"{statement};".splitlines()]
    lines += [f"note: {note}" for note in document["notes"]]
    if document["undo"]:
        lines += ["undo:", *(f"  {line}" for part in document["undo"] for line in f"{part};".splitlines())]
    return [*lines, quantity(len(document["changes"]) + len(document["policies"]), "change")]
