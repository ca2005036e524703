"""Lint rules for catalogs: one file a rule, listed here."""

from __future__ import annotations

from predicat.review.lint import (
    constant_outcome,
    documentation,
    duplicate_meaning,
    group_gaps,
    group_overlaps,
    null_negation,
    redundant_operand,
    subsumed_member,
    unpushable,
    unused_field,
)
from predicat.review.lint.rule import Context, Finding, Rule

RULES: tuple[Rule, ...] = (
    unused_field.RULE,
    *documentation.RULES,
    *constant_outcome.RULES,
    redundant_operand.RULE,
    subsumed_member.RULE,
    duplicate_meaning.RULE,
    null_negation.RULE,
    unpushable.RULE,
    group_overlaps.RULE,
    group_gaps.RULE,
)
"""Every rule, in the order of its code."""

__all__ = ["RULES", "Context", "Finding", "Rule"]
