"""predicat lint."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from predicat.cli.baselines import tell
from predicat.cli.baselines import update as update_baseline
from predicat.cli.options import (
    BASELINE,
    CATALOG,
    CHANGED,
    EFFORT,
    VARIABLES,
    form_option,
    judged,
    load_quietly,
    needs_review,
    option,
    options,
)
from predicat.diagnostics import NOWHERE
from predicat.diagnostics.messages import advice as say_advice
from predicat.diagnostics.messages import commands as say

if TYPE_CHECKING:
    from predicat.catalog import Catalog
    from predicat.lint import Finding
    from predicat.review.touched import Scope


@click.command(
    "lint",
    help=(
        "Find filters that are valid but probably wrong, such as conditions without effect, duplicates, "
        "gaps in groups, and negations that lose rows with NULL. Exit code 1 if there is a new error or "
        "warning."
    ),
)
@options
def command(
    *,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    select: tuple[str, ...] = option(
        "--select CODE", "Check only these rules. A prefix selects several: P2 selects P201 to P206."
    ),
    ignore: tuple[str, ...] = option("--ignore CODE", "Leave out these rules. A prefix works here too."),
    fix: bool = option("--fix", "Apply fixes. Each is proved to keep the rows the same."),
    form: str = form_option("text", "json", "sarif", "github"),
    effort: float = option(
        "--effort, --timeout",
        "How much work each question may take; 1 is about a second. A fix gets ten times as much.",
        default=1.0,
        type=EFFORT,
    ),
    changed: str | None = CHANGED,
    baseline: Path | None = BASELINE,
    update: bool = option(
        "--write-baseline, --update-baseline", "Write the current findings to the --baseline file."
    ),
    dsn: str | None = option(
        "--dsn DSN",
        "Also find what predicat advise finds in this PostgreSQL database: missing, redundant and unused "
        "indexes, wrong estimates. Indexes are tried in transactions that are rolled back.",
    ),
    listed: bool = option("--rules", "List the rules and exit."),
) -> None:
    needs_review()
    from predicat.lint import RULES, findings  # noqa: PLC0415  # not for --help

    if listed:
        for rule in RULES:
            click.echo(f"{rule.code}  {rule.name:22} {rule.level.value:8} {rule.doc}")
        return
    for code in (*select, *ignore):
        if not any(rule.code.startswith(code) for rule in RULES):
            raise click.UsageError(say.no_rule(code))
    _consistent(changed, baseline, update=update, fix=fix)
    run = Run(folder, variables, select, ignore, effort, dsn)
    extra_files = [baseline] if baseline is not None else []
    with judged(folder, changed, extra_files) if changed is not None else nullcontext() as scope:
        result = run.collect(scope)
        if update and baseline is not None:
            update_baseline(baseline, result, lambda item: findings.fails([item]), run.chosen)
            return
        new = run.new(result, baseline, scope)
        if fix and run.fix(new, scope):
            new = run.new(run.collect(scope), baseline, scope)
        click.echo(findings.FORMATS[form](new), nl=False)
    if findings.fails(new):
        raise click.exceptions.Exit(1)


def _consistent(changed: str | None, baseline: Path | None, *, update: bool, fix: bool) -> None:
    """Raise UsageError for options that do not go together."""
    if update and baseline is None:
        raise click.UsageError(say.NEEDS_BASELINE)
    if update and changed is not None:
        raise click.UsageError(say.BASELINE_OF_ALL)
    if update and fix:
        raise click.UsageError(say.FIX_FIRST)
    if fix and changed == "":
        raise click.UsageError(say.FIX_AND_STAGED)


class Run:
    """One run of the linter: what it loads, which rules it applies, and how long it asks the solver."""

    def __init__(
        self,
        folder: Path,
        variables: dict[str, str],
        select: Sequence[str],
        ignore: Sequence[str],
        effort: float,
        dsn: str | None = None,
    ) -> None:
        self.dsn = dsn
        self.folder, self.variables, self.select, self.ignore, self.effort = (
            folder,
            variables,
            select,
            ignore,
            effort,
        )
        self.place = folder.resolve()  # where the catalog is, also while a copy of what is staged is judged

    def catalog(self, scope: Scope | None) -> Catalog:
        """The catalog, or what a scope needs of it. Raises PredicatError."""
        if scope is None:
            return load_quietly(self.folder, self.variables)
        return load_quietly(scope.folder, self.variables, scope.files)

    def collect(self, scope: Scope | None) -> list[Finding]:
        """The findings of the chosen rules in the checked files; those of an earlier run if nothing changed
        since.
        """
        from predicat.lint import findings, findings_cache  # noqa: PLC0415  # as above

        if scope is not None and scope.empty:
            return []
        known = findings_cache.answers(self.place)
        if scope is not None:
            catalog = self.catalog(scope)
            outcome = findings.collect(
                catalog,
                self.select,
                self.ignore,
                self.effort,
                known,
                whole=scope.files is None,
                told=self.told(catalog),
            )
            known.save(whole=False)
            return [item for item in outcome if scope.includes(item.span.outermost().source.name, item.name)]
        place = findings_cache.cache_path(
            self.folder,
            self.folder.parent / "macros",
            self.variables,
            (self.select, self.ignore, self.effort),
        )
        result = findings_cache.load(place) if self.dsn is None else None
        if result is None:
            catalog = self.catalog(scope)
            told = self.told(catalog, whole=True)
            result = findings.collect(catalog, self.select, self.ignore, self.effort, known, told=told)
            known.save(whole=not self.select and not self.ignore)
            if self.dsn is None:
                findings_cache.save(place, result)
        return result

    def told(self, catalog: Catalog, *, whole: bool = False) -> list[Finding]:
        """What `predicat advise` finds in the database; nothing without one. Raises PredicatError, and
        UsageError if a whole catalog has no view to judge.
        """
        from predicat.catalog.project import load_project  # noqa: PLC0415  # not for --help
        from predicat.cli.project import connect  # noqa: PLC0415  # as above
        from predicat.lint import Finding  # noqa: PLC0415  # as above
        from predicat.lint.rules.database import BY_KIND  # noqa: PLC0415  # as above

        if self.dsn is None or not any(map(self.chosen, BY_KIND.values())):
            return []
        with connect(self.dsn, Path()) as connection:
            from predicat.deploy.advice.run import advise  # noqa: PLC0415  # needs the driver, which connect asks for

            advice = advise(catalog, connection, load_project(self.place).catalog)
        if whole and not advice.queries:
            raise click.UsageError(say_advice.NO_QUERIES)
        spans = {row.qualified: row.span for row in catalog.filters()}
        for dataset in catalog.datasets.values():
            spans |= {f"policy {dataset.name}.{name}": row.span for name, row in dataset.policies.items()}
        proposed = [(one.kind, use.name, "; ".join(one.sql)) for one in advice.proposals for use in one.uses]
        told = [(one.code, about, one.message) for about, one in advice.told if one.code in BY_KIND]
        return [
            Finding(BY_KIND[kind], name, say_advice.FOUND[kind], spans.get(name, NOWHERE), hint)
            for kind, name, hint in [*proposed, *told]
        ]

    def chosen(self, code: str) -> bool:
        """Whether a rule is applied."""
        from predicat.lint import findings  # noqa: PLC0415  # not for --help

        return findings.chosen(code, self.select, self.ignore)

    def new(self, findings: list[Finding], baseline: Path | None, scope: Scope | None) -> list[Finding]:
        """The findings that are not in the baseline. Stale entries are reported, unless only a part is
        checked.
        """
        if baseline is None:
            return findings
        from predicat.lint import baseline as known  # noqa: PLC0415  # not for --help

        result = known.apply_baseline(
            findings,
            known.read(baseline, scope.beside.get(baseline) if scope is not None else None),
            self.chosen,
        )
        tell(baseline, result, whole=scope is None)
        return result.new

    def fix(self, results: list[Finding], scope: Scope | None) -> bool:
        """Apply the fixes that findings have, and name them. Gives whether there were any."""
        from predicat.lint import findings  # noqa: PLC0415  # not for --help

        done = findings.apply_fixes(results, lambda: self.catalog(scope), 10 * self.effort)
        for item in done:
            click.echo(
                f"fixed {item.code} {item.name}: {item.fix.text or 'removed' if item.fix else ''}", err=True
            )
        return bool(done)
