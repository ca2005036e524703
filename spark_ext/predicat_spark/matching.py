"""All filters that accept a row, as Columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column


def matching_filters(
    dataset: str, alias: str | None = None, *, tag: str | None = None, names: Sequence[str] | None = None
) -> Column:
    """The names of all filters of a dataset that accept the row, sorted: an array, never NULL.

    The result is the same as one call of `matches_filter` per filter: for the latest versions, with default
    parameters, and with `on_unknown` for UNKNOWN. Filters with a parameter that has no default, filters that
    read the current time, and filters that cannot run on Spark are left out. An index finds the filters, so
    the time per row hardly depends on their number.

    Args:
        dataset: The name of the dataset.
        alias: The alias of the relation whose columns the filters read. Default: columns are found by name.
        tag: Only filters with this tag.
        names: Only these filters.

    Raises:
        pyspark.errors.AnalysisException: When the DataFrame is analysed: an unknown dataset or filter, a tag
            that no filter has, or a missing column.
    """
    return _call("matching_filters", dataset, alias, tag, names)


def matching_filter_ids(
    dataset: str, alias: str | None = None, *, tag: str | None = None, names: Sequence[str] | None = None
) -> Column:
    """Like `matching_filters`, but with positions (from 0) in the array of `matching_filter_names`.

    Positions are smaller than names, and valid for one manifest only.
    """
    return _call("matching_filter_ids", dataset, alias, tag, names)


def count_matching_filters(
    dataset: str, alias: str | None = None, *, tag: str | None = None, names: Sequence[str] | None = None
) -> Column:
    """How many filters of a dataset accept the row: the size of `matching_filters`."""
    return _call("count_matching_filters", dataset, alias, tag, names)


def matching_subscriptions(dataset: str, alias: str | None = None) -> Column:
    """The names of all subscriptions of a dataset whose filters accept the row, sorted: an array, never NULL.

    Args:
        dataset: The name of the dataset.
        alias: The alias of the relation whose columns the filters read. Default: columns are found by name.

    Raises:
        pyspark.errors.AnalysisException: As for `matching_filters`, and when a subscription has a filter that
            cannot run on Spark or needs a parameter.
    """
    return _call("matching_subscriptions", dataset, alias, None, None)


def matching_filter_names(
    dataset: str, *, tag: str | None = None, names: Sequence[str] | None = None
) -> Column:
    """The names of all filters that `matching_filters` looks for, sorted: a constant array."""
    return _call("matching_filter_names", dataset, None, tag, names)


def _call(
    function: str, dataset: str, alias: str | None, tag: str | None, names: Sequence[str] | None
) -> Column:
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # the usual name; optional

    arguments = [F.lit(dataset), *([F.lit(alias)] if alias is not None else [])]
    named = [F.lit("tag"), F.lit(tag)] if tag is not None else []
    if names is not None:
        empty = F.array().cast("array<string>")
        named += [F.lit("names"), F.array(*map(F.lit, names)) if names else empty]
    if named:
        arguments.append(F.named_struct(*named))
    return F.call_function(function, *arguments)
