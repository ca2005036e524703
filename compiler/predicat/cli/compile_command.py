"""predicat compile."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.options import CATALOG, FOLDER, VARIABLES, load, option, options
from predicat.cli.output import FORMAT, show
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.wording import quantity

if TYPE_CHECKING:
    from predicat.catalog.signature import Signer


@click.command(
    "compile",
    help=(
        "Compile the catalog to target/manifest.json and target/sql/<dialect>/<dataset>.sql. If nothing has "
        "changed, nothing is written, except a new signature."
    ),
)
@options
def command(
    *,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    target: Path = option("--target", "The output folder.", below="target", type=FOLDER),
    key: Path | None = option(
        "--sign KEY", "Sign the manifest with the Ed25519 private key in this PEM file."
    ),
    revision: int | None = option(
        "--revision N",
        "The revision in the signature. Spark refuses one that is lower than the last. Default: the seconds "
        "since 1970.",
        type=click.IntRange(0, 2**63 - 1),
    ),
    force: bool = option("--force", "Compile even if nothing has changed."),
    form: str = FORMAT,
) -> None:
    from predicat.catalog.cache import fingerprint, text_hash  # noqa: PLC0415  # not for --help
    from predicat.catalog.manifest import (  # noqa: PLC0415  # as above
        build_manifest,
        list_texts,
        read_head,
        write_manifest,
    )
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # as above

    sign = _signer(key, folder, revision)
    inputs = fingerprint(folder, folder.parent / "macros", variables)
    path = target / "manifest.json"
    head = None if force else read_head(path)
    if head is not None and head.get("inputs") == inputs and _intact(target, head.get("outputs", {})):
        for warning in head["warnings"]:
            click.echo(warning + "\n", err=True)
        for note in head.get("notes", ()):
            click.echo(note, err=True)
        if sign is not None:
            write_text(path, sign(path.read_text(encoding="utf-8")))
        data = {"manifest": str(path), "versions": head["count"], "unchanged": True}
        show(form, data, lambda: f"{path}: {quantity(head['count'], 'filter version')}, unchanged")
        return
    catalog = load(folder, variables)
    manifest = build_manifest(catalog)
    texts = {**_texts(manifest["filters"]), **list_texts(catalog)}
    outputs = {str(name): text_hash(text) for name, text in texts.items()}
    for name, text in texts.items():
        write_text(target / name, text)
    written = {target / name for name in texts}
    for old in {*(target / "sql").rglob("*.sql"), *(target / "lists").glob("predicat_*.json")} - written:
        old.unlink()
    notes = [
        f"note: {entry['name']} has no SQL for {dialect}: {reason}"
        for entry in manifest["filters"]
        for dialect, reason in entry["refused"].items()
    ]
    write_manifest(
        manifest,
        path,
        sign,
        inputs=inputs,
        outputs=outputs,
        count=len(manifest["filters"]),
        warnings=[item.render() for item in catalog.warnings],
        notes=notes,
    )
    for note in notes:
        click.echo(note, err=True)
    count = len(manifest["filters"])
    data = {"manifest": str(path), "versions": count, "unchanged": False}
    show(form, data, lambda: f"{path}: {quantity(count, 'filter version')}")


def _signer(key: Path | None, folder: Path, revision: int | None) -> Signer | None:
    from predicat.catalog.project import load_project  # noqa: PLC0415  # not for --help
    from predicat.catalog.signature import signer  # noqa: PLC0415  # as above

    if key is None:
        if revision is not None:
            raise click.UsageError(say.REVISION_WITHOUT_KEY)
        return None
    return signer(key, load_project(folder).catalog, int(time.time()) if revision is None else revision)


def _texts(rows: list[dict[str, Any]]) -> dict[Path, str]:
    """The SQL of a dataset's filters, a file for each dialect."""
    from predicat.backends.sql.lines import broken  # noqa: PLC0415  # not for --help

    result: dict[tuple[str, str], list[str]] = {}
    for entry in rows:
        for dialect, sql in entry["sql"].items():
            lines = result.setdefault((dialect, entry["dataset"]), [])
            lines.append(
                f"-- {entry['name']}@{entry['version']}{'' if entry['latest'] else ', not the latest'}\n"
                f"{broken(sql, dialect)}\n"
            )
    return {
        Path("sql", dialect, f"{dataset}.sql"): "\n".join(lines)
        for (dialect, dataset), lines in result.items()
    }


def _intact(target: Path, outputs: dict[str, str]) -> bool:
    from predicat.catalog.cache import text_hash  # noqa: PLC0415  # as above

    try:
        return all(
            text_hash((target / name).read_text(encoding="utf-8")) == wanted
            for name, wanted in outputs.items()
        )
    except (OSError, ValueError):
        return False
