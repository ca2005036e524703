"""A Prefect flow: coverage is checked before something is done with the flights."""

from __future__ import annotations

import sys
from typing import Any

from prefect import flow, task

from examples.pipelines.coverage import broken, measured


@task(retries=0)
def coverage(dataset: str, file: str) -> dict[str, Any]:
    """The results of a dataset that DuckDB reads from a file. Raises ValueError if a bound is broken."""
    result = measured(dataset, "--engine", "duckdb", "--input", f"{dataset}={file}")
    if sentences := broken(result):
        raise ValueError("; ".join(sentences))
    return result


@flow
def nightly(file: str) -> int:
    """The number of rows, if the coverage of all filters is as the catalog says."""
    return int(coverage("flights", file)["measure"]["rows"])


if __name__ == "__main__":
    print(nightly(sys.argv[1]))  # noqa: T201  # what it found
