"""Runs the tests of filters: on the reference evaluator in milliseconds, and on engines."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from predicat import backends
from predicat.catalog.inline_tests import actual_text, expected_text, outcome_of, test_passes
from predicat.catalog.model import Catalog, Filter, FilterTest
from predicat.diagnostics import Diagnostic, PredicatError, Unsupported
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.messages import references as say
from predicat.explain.explanation import decisive, explain_node
from predicat.explain.show import outcome as shown
from predicat.explain.show import row_text
from predicat.ir.nodes import Field, FieldDecl, Node
from predicat.rewrite.substitute import at, read_from_columns, with_defaults, without_expression
from predicat.semantics.evaluate import compile_node

# Evaluates SQL expressions on rows of fields: the values of each expression, row by row.
Engine = Callable[[Sequence[FieldDecl], Sequence[Mapping[str, Any]], Sequence[str]], list[list[Any]]]


class Result(Struct, frozen=True):
    """The result of a test on an engine. `problem` tells what went wrong; `skipped` why it was not run."""

    filter: Filter
    test: FilterTest
    engine: str
    outcome: bool | None
    problem: Diagnostic | None = None
    skipped: str = ""

    @property
    def name(self) -> str:
        """The full name of the filter."""
        return self.filter.qualified


def on_evaluator(filters: Sequence[Filter]) -> list[Result]:
    """Every test of some filters on the reference evaluator."""
    return [_judged(filter_, test, "evaluator") for filter_ in filters for test in filter_.tests]


def _judged(filter_: Filter, test: FilterTest, engine: str) -> Result:
    number = test.version or filter_.latest
    if number not in filter_.versions:
        return Result(
            filter_,
            test,
            engine,
            None,
            say.unknown_version(test.span, filter_.qualified, str(number), map(str, filter_.versions)),
        )
    try:
        outcome = outcome_of(filter_.versions[number].predicate, test)
    except PredicatError as error:
        return Result(
            filter_, test, engine, None, say_keys.row_of_a_test(test.span, error.diagnostics[0].message)
        )
    return _result(filter_, test, engine, outcome)


def _result(filter_: Filter, test: FilterTest, engine: str, outcome: bool | None) -> Result:
    if test_passes(filter_, test, outcome):
        return Result(filter_, test, engine, outcome)
    node = filter_.versions[test.version or filter_.latest].predicate.surface
    atoms = decisive(explain_node(node, test.inputs)) if engine == "evaluator" else []
    decided = "; ".join(
        f"{item.text} is {shown(item.outcome)}{' with ' + row_text(item.values) if item.values else ''}"
        for item in atoms[:3]
    )
    where = "" if engine == "evaluator" else f" on {engine}"
    problem = say_keys.failed_test(
        test.span,
        filter_.qualified + where,
        expected_text(test),
        actual_text(filter_, test, outcome),
        decided,
    )
    return Result(filter_, test, engine, outcome, problem)


def on_engine(catalog: Catalog, filters: Sequence[Filter], name: str, engine: Engine) -> list[Result]:
    """Every test of some filters on an engine, with one query per dataset."""
    result: list[Result] = []
    for dataset in catalog.datasets.values():
        asked = [(row, test) for row in filters if row.dataset == dataset.name for test in row.tests]
        runnable: list[tuple[Filter, FilterTest, str]] = []
        for row, test in asked:
            try:
                runnable.append((row, test, backends.dialect(name).render(_node(row, test))))
            except Unsupported as error:
                result.append(Result(row, test, name, None, skipped=error.diagnostics[0].message))
        if not runnable:
            continue
        fields = [without_expression(decl) for decl in dataset.fields.values()]
        items = [{decl.name: _value(test.row, decl) for decl in fields} for _, test, _ in runnable]
        expressions = list(dict.fromkeys(sql for _, _, sql in runnable))
        columns = dict(zip(expressions, engine(fields, items, expressions), strict=True))
        result += [
            _result(row, test, name, columns[sql][index]) for index, (row, test, sql) in enumerate(runnable)
        ]
    return result


def _node(filter_: Filter, test: FilterTest) -> Node:
    version = filter_.versions[test.version or filter_.latest]
    return at(with_defaults(read_from_columns(version.predicate.node)), test.now)


def _value(row: Mapping[str, Any], decl: FieldDecl) -> Any:
    """The value of a field in a row that may be given nested."""
    return compile_node(Field(decl.type, decl))(row)
