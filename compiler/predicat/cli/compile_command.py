"""predicat compile"""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import catalog_option, load, vars_option


@click.command("compile", help="Write target/manifest.json and target/sql/<dialect>/<dataset>/<filter>.sql.")
@catalog_option
@vars_option
@click.option("--target", default="target", show_default=True, type=click.Path(path_type=Path), help="The output folder.")
def command(folder: Path, variables: tuple[str, ...], target: Path) -> None:
    from predicat.catalog.manifest import write_manifest, write_text  # noqa: PLC0415  # not for --help

    manifest = write_manifest(load(folder, variables), target / "manifest.json")
    wanted: dict[Path, str] = {}
    for row in manifest["filters"]:
        dataset, name = row["name"].split(".", 1)
        suffix = "" if row["latest"] else f"@{row['version']}"
        for dialect, sql in row["sql"].items():
            wanted[target / "sql" / dialect / dataset / f"{name}{suffix}.sql"] = sql + "\n"
        for dialect, reason in row["refused"].items():
            click.echo(f"note: {row['name']} has no SQL for {dialect}: {reason}", err=True)
    for path, text in wanted.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_text(path, text)
    for old in set((target / "sql").rglob("*.sql")) - set(wanted):
        old.unlink()
    click.echo(f"{target / 'manifest.json'}: {len(manifest['filters'])} filter versions")
