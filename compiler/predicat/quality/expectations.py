"""Expectations of Great Expectations about filters.

Importing this module registers them; it imports Great Expectations, which takes seconds, so nothing else
does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic
from great_expectations.expectations.expectation import BatchExpectation
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
from predicat.quality.gx_metric import METRIC, EngineFailure
from predicat.quality.measure import Measure
from predicat.quality.statistics import drifted

# `{"$PARAMETER": name}`: a value that is given at each run.
Parameter = dict[str, Any]
# From 0 to 1.
Share = float | Parameter | None
Rows = int | Parameter | None


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
        execution_engine: Any = None,  # noqa: ARG002  # as the base class has it
    ) -> dict[str, Any]:
        measured = metrics[METRIC]
        if isinstance(measured, EngineFailure):
            raise RuntimeError(measured.text)  # noqa: TRY004  # GX shows it as an exception, not as a failed expectation
        assert isinstance(measured, Measure)  # noqa: S101  # nothing else comes
        return self._judged(measured, _format(runtime_configuration))

    def _judged(self, measured: Measure, result_format: str) -> dict[str, Any]:
        """What Great Expectations is told of the figures."""
        raise NotImplementedError

    def _known(self, measured: Measure, name: str) -> str:
        qualified = name if "." in name else f"{self.dataset}.{name}"
        if qualified not in measured.filters:
            reason = measured.refused.get(qualified, "there is no such filter")
            raise RuntimeError(f"{qualified} was not measured: {reason}")
        return qualified


def _check_value(name: str, value: Any) -> None:
    if isinstance(value, dict):
        if "$PARAMETER" not in value:
            raise ValueError(f'{name} takes a number or {{"$PARAMETER": "name"}}')
    elif value is not None and (value < 0 or (value > 1 and not name.endswith("_rows"))):
        raise ValueError(
            f"{name} is {value}; "
            + ("it must be 0 or more" if name.endswith("_rows") else "shares are from 0 to 1")
        )


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
    """Expect the number of accepted rows to lie between bounds: shares (0 to 1) or numbers of rows. At
    least one is required.
    """

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


class ExpectFilterUnknownRateToBeAtMost(_FilterExpectation):
    """Expect a filter to be UNKNOWN for at most a share of rows (0 to 1), a number of rows, or both."""

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


class _GroupExpectation(_FilterExpectation):
    group: str
    max_share: Share = None
    max_rows: Rows = None
    """How many rows may violate it. Default: none."""

    success_keys: ClassVar[tuple[str, ...]] = ("catalog", "dataset", "group", "max_share", "max_rows")
    allowed: ClassVar[tuple[tuple[str, str], ...]] = (("", "max_share"), ("", "max_rows"))
    counted: ClassVar[str] = ""
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
            "element_count": measured.rows,
            "unexpected_count": number,
            "unexpected_percent": 100 * number / measured.rows if measured.rows else 0.0,
            "details": {"measured": f"{number:,} of {measured.rows:,} rows are {self.broken}"},
        }
        if number and result_format in ("SUMMARY", "COMPLETE"):
            result["partial_unexpected_list"] = [
                plain(row) for row in getattr(counts, f"{self.counted}_rows")
            ]
        limits = self.max_share, self.max_rows
        share = number / measured.rows if measured.rows else 0.0
        allowed = _within(share, None, self.max_share) and _within(number, None, self.max_rows)
        return {"success": allowed if limits != (None, None) else number == 0, "result": result}


def _format(runtime_configuration: Any) -> str:
    """The name of the result format that is asked for."""
    format_ = (runtime_configuration or {}).get("result_format", "BASIC")
    name = format_.get("result_format", "BASIC") if isinstance(format_, Mapping) else format_
    return str(getattr(name, "value", name))


class ExpectFiltersToBeMutuallyExclusive(_GroupExpectation):
    """Expect that no row is accepted by more than one filter of a group."""

    counted: ClassVar[str] = "overlap"
    must: ClassVar[str] = "No row may be accepted by two filters of the group {group}."
    broken: ClassVar[str] = "accepted by two filters or more"


class ExpectFiltersToBeCollectivelyExhaustive(_GroupExpectation):
    """Expect that every row is accepted by a filter of a group."""

    counted: ClassVar[str] = "gap"
    must: ClassVar[str] = "Every row must be accepted by a filter of the group {group}."
    broken: ClassVar[str] = "accepted by no filter"


class ExpectFilterCoverageToBeStable(_FilterExpectation):
    """Expect the share of accepted rows to stay near a baseline.

    It fails if the share moved by at least `min_change` (0 to 1) and the 95 % intervals before and after do
    not overlap.
    """

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
