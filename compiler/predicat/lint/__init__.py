"""Lint rules for catalogs: one file a rule, listed here."""

from __future__ import annotations

from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.rules import (
    case_folded,
    constant_outcome,
    database,
    documentation,
    duplicate_meaning,
    group_gaps,
    group_overlaps,
    impossible_text,
    in_lists,
    inexact_equality,
    json_differences,
    last_midnight,
    like_without_wildcard,
    loose_pattern,
    mixed_operators,
    null_comparison,
    null_negation,
    redundant_operand,
    row_policies,
    subsumed_member,
    unpushable,
    unserved,
    unserved_expression,
    unused_field,
    unused_names,
    unused_parameter,
)

# Every rule, in the order of its code.
RULES: tuple[Rule, ...] = (
    unused_field.RULE,
    *documentation.RULES,
    *constant_outcome.RULES,
    redundant_operand.RULE,
    subsumed_member.RULE,
    duplicate_meaning.RULE,
    null_negation.RULE,
    unpushable.RULE,
    case_folded.RULE,
    unserved.RULE,
    unserved_expression.RULE,
    *database.RULES,
    group_overlaps.RULE,
    group_gaps.RULE,
    null_comparison.RULE,
    *in_lists.RULES,
    *impossible_text.RULES,
    like_without_wildcard.RULE,
    *loose_pattern.RULES,
    mixed_operators.RULE,
    last_midnight.RULE,
    inexact_equality.RULE,
    unused_parameter.RULE,
    *unused_names.RULES,
    json_differences.RULE,
    *row_policies.RULES,
)

__all__ = ["RULES", "Context", "Finding", "Rule"]
