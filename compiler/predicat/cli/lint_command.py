"""predicat lint"""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import SECONDS, catalog_option, load_quietly, needs_review, pairs, vars_option


@click.command("lint", help="Find filters that are legal and probably wrong: dead branches, duplicates, gaps of groups, lost NULLs. "
               "Exit code 1 if there is anything.")  # fmt: skip
@catalog_option
@vars_option
@click.option("--select", multiple=True, metavar="CODE", help="Only these rules (a beginning such as P2 takes all that start so).")
@click.option("--ignore", multiple=True, metavar="CODE", help="Not these rules.")
@click.option("--fix", "mend", is_flag=True, help="Rewrite what has a fix, after a proof that the rows stay the same.")
@click.option("--format", "form", default="text", show_default=True, type=click.Choice(("text", "json", "sarif", "github")), help="The form.")
@click.option("--timeout", default=1.0, show_default=True, type=SECONDS, help="Seconds for each question to the solver; a fix has ten times as long.")
@click.option("--rules", "listed", is_flag=True, help="List the rules.")
def command(folder: Path, variables: tuple[str, ...], select: tuple[str, ...], ignore: tuple[str, ...], form: str, timeout: float,
            *, mend: bool, listed: bool) -> None:  # fmt: skip
    needs_review()
    from predicat.review import findings  # noqa: PLC0415  # not for --help
    from predicat.review.lint import RULES  # noqa: PLC0415  # as above

    if listed:
        for rule in RULES:
            click.echo(f"{rule.code}  {rule.name:20} {rule.doc}")
        return
    for code in (*select, *ignore):
        if not any(rule.code.startswith(code) for rule in RULES):
            raise click.UsageError(f"no rule is named {code!r}; predicat lint --rules lists them")
    values = pairs("--var", variables)
    catalog = load_quietly(folder, values)
    found = findings.collect(catalog, select, ignore, timeout)
    if mend:
        done = findings.mend(found, lambda: load_quietly(folder, values), 10 * timeout)
        for item in done:
            click.echo(f"fixed {item.code} {item.name}: {item.fix.text or 'left out' if item.fix else ''}", err=True)
        if done:
            found = findings.collect(load_quietly(folder, values), select, ignore, timeout)
    click.echo(findings.FORMATS[form](found), nl=False)
    if found:
        raise click.exceptions.Exit(1)
