"""Expectations of Great Expectations about filters.

Importing this module registers them; it imports Great Expectations, which takes seconds, so nothing else
does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal

from great_expectations.checkpoint.actions import ValidationAction
from great_expectations.compatibility import pydantic
from great_expectations.expectations.expectation import BatchExpectation
from great_expectations.expectations.metadata_types import DataQualityIssues, SupportedDataSources
from great_expectations.expectations.model_field_types import ConditionParser
from great_expectations.expectations.row_conditions import RowConditionType
from great_expectations.render.components import (
    LegacyDiagnosticRendererType,
    LegacyRendererType,
    RenderedStringTemplateContent,
)
from great_expectations.render.renderer.renderer import renderer

from predicat.diagnostics.messages import coverage as say_coverage
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.wording import quantity
from predicat.explain.show import plain
from predicat.quality.bounds import duration
from predicat.quality.gx_metric import METRIC, EngineFailure, breaking_rows
from predicat.quality.measure import Measure
from predicat.quality.statistics import drifted

# `{"$PARAMETER": name}`: a value that is given at each run.
Parameter = dict[str, Any]
# From 0 to 1.
Share = float | Parameter | None
Rows = int | Parameter | None
# A filter or group, the bound of it that is broken, as `measure.breaking` takes them, and the number of rows.
Broken = tuple[str, str, int]

# The catalog of the examples of expectations.
EXAMPLE_CATALOG = """\
apiVersion: predicat/v1
dataset: flights
fields: {id: bigint, dep_delay: bigint, loaded_at: timestamp}
key: [id]
freshness: {column: loaded_at, at_most: 26 hours}
filters:
  early: {sql: dep_delay < 0}
  long_delay: {sql: dep_delay >= 60}
  late: {sql: dep_delay > 0}
groups:
  bands: {filters: [early, long_delay], exclusive: true, exhaustive: true}
  nested: {filters: [late, long_delay], exclusive: true}
"""
_EXAMPLE_ROWS = {
    "id": [1, 2, 3, 4],
    "dep_delay": [-5, 90, 10, None],
    "loaded_at": ["2026-01-05 10:00:00+00"] * 4,
}
_EXAMPLE_ARGUMENTS = {"catalog": "catalog", "dataset": "flights"}


def _examples(holds: Mapping[str, Any], breaks: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Examples in the format of Great Expectations: arguments with which an expectation holds, and others."""
    cases = (("holds", holds, True), ("is broken", breaks, False))
    tests = [
        {
            "title": title,
            "exact_match_out": False,
            "include_in_gallery": True,
            "in": _EXAMPLE_ARGUMENTS | dict(arguments),
            "out": {"success": success},
        }
        for title, arguments, success in cases
    ]
    return [{"data": _EXAMPLE_ROWS, "tests": tests}]


class _FilterExpectation(BatchExpectation):
    """What they have in common: the catalog and dataset that the metric asks for, rules for bounds, and
    sentences.

    `row_condition` narrows the batch as in Great Expectations' own expectations.
    """

    catalog: str
    dataset: str
    row_condition: RowConditionType = None
    condition_parser: ConditionParser | None = None

    metric_dependencies: ClassVar[tuple[str, ...]] = (METRIC,)
    domain_keys: ClassVar[tuple[str, ...]] = ("batch_id", "row_condition", "condition_parser")
    bounds: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of fields: a lower bound ("" for none) and the upper one. At least one of all must be given."""

    library_metadata: ClassVar[dict[str, Any]] = {
        "maturity": "beta",
        "tags": ["predicat", "filter", "coverage"],
        "contributors": ["predicat"],
        "requirements": ["predicat"],
        "has_full_test_suite": True,
        "manually_reviewed_code": True,
    }
    issues: ClassVar[tuple[DataQualityIssues, ...]] = (DataQualityIssues.VALIDITY,)

    class Config(BatchExpectation.Config):
        """What Great Expectations publishes of an expectation."""

        @staticmethod
        def schema_extra(schema: dict[str, Any], model: Any) -> None:
            """Add title, description and metadata, as expectations of Great Expectations have them."""
            BatchExpectation.Config.schema_extra(schema, model)
            about = {
                "data_quality_issues": ("array", [issue.value for issue in model.issues]),
                "library_metadata": ("object", model.library_metadata),
                "short_description": ("string", " ".join((model.__doc__ or "").partition("\n\n")[0].split())),
                "supported_data_sources": ("array", [source.value for source in _SOURCES]),
            }
            schema["title"] = model.expectation_type.replace("_", " ").capitalize()
            schema["properties"]["metadata"]["properties"] |= {
                name: {"title": name.replace("_", " ").title(), "type": kind, "const": value}
                for name, (kind, value) in about.items()
            }

    @pydantic.root_validator  # pyright: ignore[reportCallIssue, reportPrivateImportUsage]  # as GX's own expectations use it
    def _check_bounds(cls, values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805  # pydantic's
        names = [name for pair in cls.bounds for name in pair if name]
        if names and all(values.get(name) is None for name in names):
            raise ValueError(f"give at least one of {', '.join(names)}")
        for name in names:
            _check_value(name, values.get(name))
        for low, high in cls.bounds:
            least, most = values.get(low), values.get(high)
            if isinstance(least, int | float) and isinstance(most, int | float) and least > most:
                raise ValueError(f"{low} ({least}) is more than {high} ({most})")
        return values

    @classmethod
    def sentence(cls, kwargs: Mapping[str, Any]) -> str:
        """What is expected, as Data Docs shows it."""
        raise NotImplementedError

    @classmethod
    def _prescriptive_template(cls, renderer_configuration: Any) -> Any:
        renderer_configuration.template_str = cls.sentence(renderer_configuration.kwargs or {}).replace(
            "$", "$$"
        )
        return renderer_configuration

    @classmethod
    @renderer(renderer_type=LegacyRendererType.PRESCRIPTIVE)
    def _prescriptive_renderer(
        cls, configuration: Any = None, result: Any = None, runtime_configuration: Any = None
    ) -> list[RenderedStringTemplateContent]:
        del runtime_configuration
        config = configuration or getattr(result, "expectation_config", None)
        template = cls.sentence(config.kwargs if config is not None else {}).replace("$", "$$")
        text = {"template": template, "params": {}}
        return [RenderedStringTemplateContent(string_template=text, content_block_type="string_template")]

    @classmethod
    @renderer(renderer_type=LegacyDiagnosticRendererType.OBSERVED_VALUE)
    def _diagnostic_observed_value_renderer(
        cls, configuration: Any = None, result: Any = None, runtime_configuration: Any = None
    ) -> str:
        del configuration, runtime_configuration
        details = (getattr(result, "result", None) or {}).get("details") or {}
        return str(details.get("measured", "not measured"))

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: Any = None,
        execution_engine: Any = None,
    ) -> dict[str, Any]:
        measured = metrics[METRIC]
        if isinstance(measured, EngineFailure):
            raise RuntimeError(measured.text)  # noqa: TRY004  # GX shows it as an exception, not as a failed expectation
        assert isinstance(measured, Measure)  # noqa: S101  # nothing else comes
        asked = _format(runtime_configuration)
        judged = self._judged(measured, asked["result_format"])
        broken = None if judged["success"] else self._broken(measured)
        if broken is not None:
            judged["result"] = self._rows(measured, broken, asked, execution_engine) | judged["result"]
        return judged

    def _rows(
        self, measured: Measure, broken: Broken, asked: Mapping[str, Any], engine: Any
    ) -> dict[str, Any]:
        """The rows that break it, in the words of Great Expectations: their number and, if the dataset has a
        key or columns are asked for, which ones.
        """
        *bound, count = broken
        result: dict[str, Any] = {
            "element_count": measured.rows,
            "unexpected_count": count,
            "unexpected_percent": 100 * count / measured.rows if measured.rows else 0.0,
        }
        if asked["result_format"] not in ("SUMMARY", "COMPLETE"):
            return result
        few, complete = asked.get("partial_unexpected_count", 20), asked["result_format"] == "COMPLETE"
        columns = asked.get("unexpected_index_column_names") or ()
        names, rows = breaking_rows(
            engine,
            self._get_domain_kwargs(),
            {"catalog": self.catalog, "dataset": self.dataset},
            (bound[0], bound[1]),
            [columns] if isinstance(columns, str) else columns,
            None if complete else few,
        )
        found = [plain(row) for row in rows]
        partial = {"partial_unexpected_list": found[:few], "partial_unexpected_index_list": found[:few]}
        all_ = {"unexpected_index_list": found} if complete else {}
        return result | ({"unexpected_index_column_names": names} | partial | all_ if names else {})

    def _broken(self, measured: Measure) -> Broken | None:  # noqa: ARG002  # of those that have rows
        """Which bound is broken, and the number of rows that count against it; None if it has no rows."""
        return None

    def _judged(self, measured: Measure, result_format: str) -> dict[str, Any]:
        """What Great Expectations is told of the figures."""
        raise NotImplementedError

    def _known(self, measured: Measure, name: str) -> str:
        qualified = name if "." in name else f"{self.dataset}.{name}"
        if qualified not in measured.filters:
            reasons = {**measured.refused, **measured.errors}
            reason = reasons.get(qualified, "there is no such filter")
            raise RuntimeError(f"{qualified} was not measured: {reason}")
        return qualified


def _check_value(name: str, value: Any) -> None:
    if isinstance(value, dict):
        if "$PARAMETER" not in value:
            raise ValueError(f'{name} takes a number or {{"$PARAMETER": "name"}}')
    elif value is not None and (value < 0 or (value > 1 and not name.endswith(_NUMBERS))):
        raise ValueError(
            f"{name} is {value}; "
            + ("it must be 0 or more" if name.endswith(_NUMBERS) else "shares are from 0 to 1")
        )


# How the names of arguments end that are no shares.
_NUMBERS = ("_rows", "_age")


def _check_rows(measured: Measure, bound: Any) -> None:
    """Raise RuntimeError if a bound on a share cannot be judged, because there are no rows."""
    if bound is not None and not measured.rows:
        raise RuntimeError(say_coverage.NO_ROWS)


def _within(value: float, low: Any, high: Any) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


def _shown(value: Any, *, share: bool) -> str:
    if isinstance(value, Mapping):
        return f"the parameter {value.get('$PARAMETER')}"
    return f"{value * 100:.4g} %" if share else f"{value:,}"


def _range(kwargs: Mapping[str, Any], low: str, high: str) -> str:
    """`at least 1 % and at most 20 % of the rows`, or an empty text."""
    share = not high.endswith("_rows")
    words = (("at least", kwargs.get(low)), ("at most", kwargs.get(high)))
    parts = [f"{word} {_shown(value, share=share)}" for word, value in words if value is not None]
    return " and ".join(parts) + (" of the rows" if share else " rows") if parts else ""


def _ranges(kwargs: Mapping[str, Any], bounds: Sequence[tuple[str, str]]) -> str:
    return ", ".join(filter(None, (_range(kwargs, low, high) for low, high in bounds)))


class ExpectFilterCoverageToBeBetween(_FilterExpectation):
    """Expect the number of rows that a filter accepts to lie between bounds.

    They are shares (0 to 1) or numbers of rows. At least one is required.
    """

    examples: ClassVar[list[dict[str, Any]]] = _examples(
        {"filter": "long_delay", "min_share": 0.1, "max_share": 0.3}, {"filter": "long_delay", "max_rows": 0}
    )
    filter: str
    min_share: Share = None
    max_share: Share = None
    min_rows: Rows = None
    max_rows: Rows = None

    success_keys: ClassVar[tuple[str, ...]] = (
        "catalog",
        "dataset",
        "filter",
        "min_share",
        "max_share",
        "min_rows",
        "max_rows",
    )
    bounds: ClassVar[tuple[tuple[str, str], ...]] = (("min_share", "max_share"), ("min_rows", "max_rows"))

    @classmethod
    def sentence(cls, kwargs: Mapping[str, Any]) -> str:
        """What is expected, as a sentence."""
        return f"The filter {kwargs.get('filter')} must accept {_ranges(kwargs, cls.bounds)}."

    def _judged(self, measured: Measure, result_format: str) -> dict[str, Any]:  # noqa: ARG002  # for groups
        name = self._known(measured, self.filter)
        _check_rows(measured, self.max_share)
        share, accepted = measured.share(name), measured.accepted[name]
        holds = _within(share, self.min_share, self.max_share) and _within(
            accepted, self.min_rows, self.max_rows
        )
        details = {
            "accepted": accepted,
            "rows": measured.rows,
            "measured": f"accepts {accepted:,} of {quantity(measured.rows, 'row')} ({share:.2%})",
        }
        return {"success": holds, "result": {"observed_value": share, "details": details}}

    def _broken(self, measured: Measure) -> Broken:
        name = self._known(measured, self.filter)
        accepted = measured.accepted[name]
        enough = _within(measured.share(name), self.min_share, None) and _within(
            accepted, self.min_rows, None
        )
        return ("at_most", name, accepted) if enough else ("at_least", name, measured.rows - accepted)


class ExpectFilterUnknownRateToBeAtMost(_FilterExpectation):
    """Expect a filter to be UNKNOWN for at most a share of rows (0 to 1), a number of rows, or both."""

    examples: ClassVar[list[dict[str, Any]]] = _examples(
        {"filter": "early", "max_share": 0.25}, {"filter": "early", "max_rows": 0}
    )
    issues: ClassVar[tuple[DataQualityIssues, ...]] = (DataQualityIssues.COMPLETENESS,)
    filter: str
    max_share: Share = None
    max_rows: Rows = None

    success_keys: ClassVar[tuple[str, ...]] = ("catalog", "dataset", "filter", "max_share", "max_rows")
    bounds: ClassVar[tuple[tuple[str, str], ...]] = (("", "max_share"), ("", "max_rows"))

    @classmethod
    def sentence(cls, kwargs: Mapping[str, Any]) -> str:
        """What is expected, as a sentence."""
        return f"The filter {kwargs.get('filter')} must be UNKNOWN for {_ranges(kwargs, cls.bounds)}."

    def _judged(self, measured: Measure, result_format: str) -> dict[str, Any]:  # noqa: ARG002  # for groups
        _check_rows(measured, self.max_share)
        unknown = measured.filters[self._known(measured, self.filter)].unknown
        share = unknown / measured.rows if measured.rows else 0.0
        holds = _within(share, None, self.max_share) and _within(unknown, None, self.max_rows)
        details = {
            "unknown": unknown,
            "rows": measured.rows,
            "measured": f"is UNKNOWN for {unknown:,} of {quantity(measured.rows, 'row')} ({share:.2%})",
        }
        return {"success": holds, "result": {"observed_value": share, "details": details}}

    def _broken(self, measured: Measure) -> Broken:
        name = self._known(measured, self.filter)
        return "unknown_at_most", name, measured.filters[name].unknown


class _GroupExpectation(_FilterExpectation):
    group: str
    max_share: Share = None
    max_rows: Rows = None
    """How many rows may violate it. Default: none."""

    success_keys: ClassVar[tuple[str, ...]] = ("catalog", "dataset", "group", "max_share", "max_rows")
    allowed: ClassVar[tuple[tuple[str, str], ...]] = (("", "max_share"), ("", "max_rows"))
    counted: ClassVar[str] = ""
    bound: ClassVar[str] = ""
    must: ClassVar[str] = ""
    broken: ClassVar[str] = ""

    @classmethod
    def sentence(cls, kwargs: Mapping[str, Any]) -> str:
        but = _ranges(kwargs, cls.allowed)
        return cls.must.format(group=kwargs.get("group")) + (f" Allowed are {but}." if but else "")

    def _judged(self, measured: Measure, result_format: str) -> dict[str, Any]:
        if self.group not in measured.groups:
            raise RuntimeError(say.group_not_measured(self.dataset, self.group))
        counts = measured.groups[self.group]
        number = int(getattr(counts, self.counted))
        result: dict[str, Any] = {
            "observed_value": number,
            "details": {"measured": f"{number:,} of {quantity(measured.rows, 'row')} are {self.broken}"},
        }
        if number and result_format in ("SUMMARY", "COMPLETE"):
            result["partial_unexpected_list"] = [
                plain(row) for row in getattr(counts, f"{self.counted}_rows")
            ]
        limits = self.max_share, self.max_rows
        share = number / measured.rows if measured.rows else 0.0
        allowed = _within(share, None, self.max_share) and _within(number, None, self.max_rows)
        return {"success": allowed if limits != (None, None) else number == 0, "result": result}

    def _broken(self, measured: Measure) -> Broken:
        return self.bound, self.group, int(getattr(measured.groups[self.group], self.counted))


def _format(runtime_configuration: Any) -> dict[str, Any]:
    """The result format that is asked for, with its options."""
    given = (runtime_configuration or {}).get("result_format", "BASIC")
    asked = dict(given) if isinstance(given, Mapping) else {"result_format": given}
    name = asked.get("result_format", "BASIC")
    return asked | {"result_format": str(getattr(name, "value", name))}


class ExpectFiltersToBeMutuallyExclusive(_GroupExpectation):
    """Expect that no row is accepted by more than one filter of a group."""

    examples: ClassVar[list[dict[str, Any]]] = _examples({"group": "bands"}, {"group": "nested"})
    bound: ClassVar[str] = "exclusive"
    counted: ClassVar[str] = "overlap"
    must: ClassVar[str] = "No row may be accepted by two filters of the group {group}."
    broken: ClassVar[str] = "accepted by two filters or more"


class ExpectFiltersToBeCollectivelyExhaustive(_GroupExpectation):
    """Expect that every row is accepted by a filter of a group."""

    examples: ClassVar[list[dict[str, Any]]] = _examples(
        {"group": "bands", "max_rows": 2}, {"group": "bands"}
    )
    bound: ClassVar[str] = "exhaustive"
    issues: ClassVar[tuple[DataQualityIssues, ...]] = (DataQualityIssues.COMPLETENESS,)
    counted: ClassVar[str] = "gap"
    must: ClassVar[str] = "Every row must be accepted by a filter of the group {group}."
    broken: ClassVar[str] = "accepted by no filter"


class ExpectFilterCoverageToBeStable(_FilterExpectation):
    """Expect the share of accepted rows to stay near a baseline.

    It fails if the share moved by at least `min_change` (0 to 1) and the 95 % intervals before and after do
    not overlap.
    """

    examples: ClassVar[list[dict[str, Any]]] = _examples(
        {"filter": "early", "baseline_accepted": 250, "baseline_rows": 1000, "min_change": 0.1},
        {"filter": "early", "baseline_accepted": 999, "baseline_rows": 1000, "min_change": 0.1},
    )
    filter: str
    baseline_accepted: int | Parameter
    baseline_rows: int | Parameter
    min_change: float | Parameter

    success_keys: ClassVar[tuple[str, ...]] = (
        "catalog",
        "dataset",
        "filter",
        "baseline_accepted",
        "baseline_rows",
        "min_change",
    )
    bounds: ClassVar[tuple[tuple[str, str], ...]] = (("", "min_change"),)

    @classmethod
    def sentence(cls, kwargs: Mapping[str, Any]) -> str:
        """What is expected, as a sentence."""
        accepted, rows = (
            _shown(kwargs.get(key), share=False) for key in ("baseline_accepted", "baseline_rows")
        )
        return (
            f"The filter {kwargs.get('filter')} must accept a share of the rows that is less than "
            f"{_shown(kwargs.get('min_change'), share=True)} away from the baseline ({accepted} of "
            f"{rows} rows)."
        )

    def _judged(self, measured: Measure, result_format: str) -> dict[str, Any]:  # noqa: ARG002  # for groups
        name = self._known(measured, self.filter)
        accepted, rows = int(self.baseline_accepted), int(self.baseline_rows)  # type: ignore[arg-type]  # GX has put values in
        _check_rows(measured, self.min_change)
        if not rows:
            raise RuntimeError(say_coverage.no_rows_then(say_coverage.BASELINE_ROWS))
        share, before = measured.share(name), accepted / rows if rows else 0.0
        moved = drifted((accepted, rows), (measured.accepted[name], measured.rows), float(self.min_change))  # type: ignore[arg-type]
        details = {
            "baseline": before,
            "measured": f"accepts {share:.2%} of the rows; the baseline is {before:.2%}",
        }
        return {"success": not moved, "result": {"observed_value": share, "details": details}}


class ExpectDatasetRowCountToBeBetween(_FilterExpectation):
    """Expect the number of rows of a dataset to lie between bounds.

    Only rows that the filter of its `where` accepts count.
    """

    examples: ClassVar[list[dict[str, Any]]] = _examples({"min_rows": 1, "max_rows": 4}, {"min_rows": 5})
    issues: ClassVar[tuple[DataQualityIssues, ...]] = (DataQualityIssues.VOLUME,)
    min_rows: Rows = None
    max_rows: Rows = None

    success_keys: ClassVar[tuple[str, ...]] = ("catalog", "dataset", "min_rows", "max_rows")
    bounds: ClassVar[tuple[tuple[str, str], ...]] = (("min_rows", "max_rows"),)

    @classmethod
    def sentence(cls, kwargs: Mapping[str, Any]) -> str:
        """What is expected, as a sentence."""
        return f"The dataset {kwargs.get('dataset')} must have {_ranges(kwargs, cls.bounds)}."

    def _judged(self, measured: Measure, result_format: str) -> dict[str, Any]:  # noqa: ARG002  # for groups
        details = {"measured": f"has {quantity(measured.rows, 'row')}"}
        return {
            "success": _within(measured.rows, self.min_rows, self.max_rows),
            "result": {"observed_value": measured.rows, "details": details},
        }


class ExpectDatasetToBeFresh(_FilterExpectation):
    """Expect the newest value of the field of `freshness` to be at most `max_age` seconds old.

    Values more than a day in the future are ignored. Without a value it does not hold.
    """

    examples: ClassVar[list[dict[str, Any]]] = _examples({"max_age": 10**12}, {"max_age": 1})
    issues: ClassVar[tuple[DataQualityIssues, ...]] = (DataQualityIssues.VOLUME,)
    max_age: float | Parameter

    success_keys: ClassVar[tuple[str, ...]] = ("catalog", "dataset", "max_age")
    bounds: ClassVar[tuple[tuple[str, str], ...]] = (("", "max_age"),)

    @classmethod
    def sentence(cls, kwargs: Mapping[str, Any]) -> str:
        """What is expected, as a sentence."""
        age = kwargs.get("max_age")
        shown = duration(age) if isinstance(age, int | float) else _shown(age, share=False)
        return f"The newest row of the dataset {kwargs.get('dataset')} must be at most {shown} old."

    def _judged(self, measured: Measure, result_format: str) -> dict[str, Any]:  # noqa: ARG002  # for groups
        if measured.newest is None:
            details = {"measured": "there is no value, so the age is unknown"}
            return {"success": False, "result": {"observed_value": None, "details": details}}
        age = datetime.now(tz=UTC).timestamp() - measured.newest
        return {
            "success": _within(age, None, self.max_age),
            "result": {
                "observed_value": round(age),
                "details": {"measured": f"the newest row is {duration(age)} old"},
            },
        }


# Where the metric measures.
_SOURCES = (SupportedDataSources.PANDAS, SupportedDataSources.POSTGRESQL, SupportedDataSources.SPARK)


class EveryBoundIsJudged(ValidationAction):
    """An action that ends a run with an error if expectations of a suite of predicat were not judged.

    Great Expectations logs an expectation that it cannot load, leaves it out, and reports success. A
    checkpoint with this action cannot be loaded if this module is not imported.
    """

    type: Literal["predicat_every_bound_is_judged"] = "predicat_every_bound_is_judged"  # pyright: ignore[reportIncompatibleVariableOverride]  # as GX's own actions

    def run(self, checkpoint_result: Any, action_context: Any = None) -> dict[str, Any]:
        """Raise RuntimeError for a suite with fewer results than expectations were written, or none."""
        del action_context
        written = dict(_written(checkpoint_result.checkpoint_config.validation_definitions))
        for result in checkpoint_result.run_results.values():
            found, wanted = len(result.results), written.get(result.suite_name, 0)
            if found < max(wanted, 1):
                raise RuntimeError(say_coverage.not_all_judged(result.suite_name, found, wanted))
        return {"judged": written}


def _written(validations: Sequence[Any]) -> Iterator[tuple[str, int]]:
    """The number of expectations of each suite, by its name, as it was written."""
    for item in validations:
        yield item.suite.name, int((item.suite.meta or {}).get("predicat", {}).get("expectations", 0))
