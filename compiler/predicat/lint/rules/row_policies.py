"""P601 to P605: row policies that open a table, close it, or are passed by."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from predicat.catalog.keys import VIEW_MATERIALIZED
from predicat.catalog.model import Dataset
from predicat.catalog.policies import Policy
from predicat.diagnostics import Severity
from predicat.explain.show import session_text
from predicat.ir.canonical import proof_text
from predicat.ir.nodes import TRUE, Node
from predicat.lint.rule import Context, Finding, Rule
from predicat.policies import access
from predicat.policies.bind import apart, rules_of, table_of
from predicat.proof.compare import search
from predicat.proof.smt.terms import all_of, negated

_NONE, _OPEN = "", "open"


class _Known(Struct, frozen=True):
    """A policy with what it means, and the policies of its table."""

    dataset: Dataset
    policy: Policy
    meaning: access.Rule
    beside: list[access.Rule]

    def finding(self, code: str, message: str, hint: str) -> Finding:
        name = f"{self.dataset.name}.{self.policy.name}"
        filters = tuple(
            f"{self.dataset.name}.{used.filter.partition('@')[0]}" for used in self.policy.filters
        )
        return Finding(code, name, message, self.policy.span, hint, filters=filters)


def _policies(context: Context) -> Iterator[_Known]:
    for dataset in context.datasets.values():
        tables = rules_of(context.catalog, dataset) if dataset.policies else {}
        for policy in dataset.policies.values():
            beside = tables[table_of(dataset, policy)]
            yield _Known(dataset, policy, next(rule for rule in beside if rule.name == policy.name), beside)


def _beyond(context: Context, condition: Node, wider: Node) -> str:
    """A row for which `wider` is TRUE and a condition is not, as text; "" if there is provably none."""

    def answer() -> str:
        kind, witness = search(
            condition,
            wider,
            lambda one, other: other is True and one is not True,
            lambda one, other: all_of(other.true, negated(one.true)),
            context.effort,
        )
        return _NONE if kind == "none" else _OPEN if witness is None else session_text(apart(witness))

    return context.ask(("beyond", proof_text(condition), proof_text(wider)), answer)


def _open(context: Context) -> Iterator[Finding]:
    for one in _policies(context):
        for key in ("using", "check"):
            condition = getattr(one.meaning, key)
            if condition is not None and _beyond(context, condition, TRUE) == _NONE:
                message = f"{key}: is TRUE for every row"
                if one.policy.permissive:
                    yield one.finding("P601", message, "name a filter of the rows that these roles may have")
                else:
                    yield one.finding("P601", f"{message}, so it restricts nothing", "take the policy away")


def _escaping(context: Context) -> Iterator[Finding]:
    for one in _policies(context):
        if one.meaning.using is None or one.meaning.check is None:
            continue
        row = _beyond(context, one.meaning.using, one.meaning.check)
        if row not in (_NONE, _OPEN):
            message = f"check: accepts a row that using: does not: {row}"
            yield one.finding("P602", message, "without check: new rows are those of using:")


def _implicit(context: Context) -> Iterator[Finding]:
    for one in _policies(context):
        writes = one.policy.command in (access.EVERY, access.WRITTEN.command)
        if writes and one.policy.using is not None and one.policy.check is None:
            message = "it has no check:, so new rows are those of using:"
            yield one.finding("P603", message, f"write check: {one.policy.using.filter}")


def _closed(context: Context) -> Iterator[Finding]:
    """A restrictive policy only takes rows away: somebody must have rows."""
    for one in _policies(context):
        if one.policy.permissive:
            continue
        for what in access.ACCESSES:
            if not one.meaning.holds(one.policy.roles, what.command) or what is access.WRITTEN:
                continue
            others = [
                rule
                for rule in one.beside
                if rule.permissive and rule.command in (what.command, access.EVERY)
            ]
            if access.PUBLIC not in one.policy.roles:
                others = [rule for rule in others if rule.is_for(one.policy.roles)]
            if not others:
                roles = ", ".join(one.policy.roles)
                message = f"no permissive policy of {what.command} is for {roles}: nobody has a row"
                yield one.finding("P604", message, "add a policy that is permissive")


def _passed(context: Context) -> Iterator[Finding]:
    for dataset in context.datasets.values():
        if not any(not table_of(dataset, policy) for policy in dataset.policies.values()):
            continue
        for filter_ in dataset.filters.values():
            stated = filter_.view_options
            if filter_.is_materialized or stated.get("security_invoker") is False:
                kind = "materialized view holds" if stated.get(VIEW_MATERIALIZED) else "view has"
                yield Finding(
                    "P605",
                    filter_.qualified,
                    f"its {kind} the rows of its owner, whatever the policies of the table say",
                    filter_.span,
                    "grant it only to roles that may see all of its rows",
                )


RULES = (
    Rule("P601", "open-policy", "A row policy that is TRUE for every row (proved).", _open),
    Rule("P602", "loose-check", "A row policy whose check accepts a row that its using does not.", _escaping),
    Rule(
        "P603",
        "no-check",
        "A row policy without check, whose new rows are those of using.",
        _implicit,
        Severity.NOTE,
    ),
    Rule("P604", "only-restrictive", "A restrictive row policy beside no permissive one.", _closed),
    Rule("P605", "passed-by", "A view that passes by the row policies of its table.", _passed),
)
