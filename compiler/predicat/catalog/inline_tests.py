"""Runs the tests in catalog files, and describes their outcomes."""

from __future__ import annotations

from collections.abc import Mapping

from predicat.api import Predicate
from predicat.catalog.model import Filter, FilterTest
from predicat.diagnostics import NOWHERE, PredicatError, Reporter
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.messages import references
from predicat.ir.nodes import FieldDecl
from predicat.ir.rows import misfit, unknown_keys
from predicat.ir.types import STRING


def run_tests(filter_: Filter, fields: Mapping[str, FieldDecl], reporter: Reporter) -> None:
    """Run the tests of a filter. Failed tests and rows that do not fit the fields are reported."""
    for test in filter_.tests:
        for name, known in unknown_keys(test.row, fields):
            reporter.add(msg.unknown_row_key(test.place(name), name, known))
        if test.version is not None and test.version not in filter_.versions:
            reporter.add(
                references.unknown_version(
                    test.span, filter_.qualified, str(test.version), map(str, filter_.versions)
                )
            )
            continue
        if any(unknown_keys(test.row, fields)):
            continue  # it would only fail for this reason
        try:
            outcome = outcome_of(filter_.versions[test.version or filter_.latest].predicate, test)
        except PredicatError as error:
            wrong = misfit(test.row, fields)
            place = test.span if wrong is None else test.place(wrong)
            is_text = wrong is not None and fields[wrong].type == STRING
            for item in error.diagnostics:
                reporter.add(
                    item
                    if item.span != NOWHERE
                    else say_keys.row_of_a_test(place, item.message, text=is_text)
                )
            continue
        if not test_passes(filter_, test, outcome):
            reporter.add(
                say_keys.failed_test(
                    test.span, filter_.qualified, expected_text(test), actual_text(filter_, test, outcome)
                )
            )


def outcome_of(predicate: Predicate, test: FilterTest) -> bool | None:
    """The outcome of a predicate on the row of a test.

    Raises PredicatError if a value does not fit its field, or if the predicate reads the current time and the
    test does not set it: the outcome would change.
    """
    if test.now is None and predicate.reads_now:
        raise PredicatError.of(say.test_without_now(test.span))
    return predicate.evaluate(test.row, now=test.now)


def test_passes(filter_: Filter, test: FilterTest, outcome: bool | None) -> bool:
    """Whether an outcome is as expected: UNKNOWN, or that the filter accepts or rejects the row."""
    if test.matches is None:
        return outcome is None
    return (filter_.on_unknown == "accept" if outcome is None else outcome) == test.matches


def expected_text(test: FilterTest) -> str:
    """The expected outcome of a test, in words."""
    return "UNKNOWN" if test.matches is None else str(test.matches).lower()


def actual_text(filter_: Filter, test: FilterTest, outcome: bool | None) -> str:
    """The actual outcome of a test, in words."""
    if outcome is None and test.matches is not None:
        return say.unknown_outcome(filter_.on_unknown)
    return "UNKNOWN" if outcome is None else str(outcome).lower()
