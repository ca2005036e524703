"""An Airflow DAG: coverage is checked before the views are applied. A broken bound or a failed engine stops
it; the results are its XCom.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from airflow.exceptions import AirflowException
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, BaseOperator

from examples.pipelines.coverage import broken, measured

# The folder that holds `catalog/`: Airflow runs commands in an empty one.
PROJECT = str(Path(__file__).resolve().parents[2])


class CoverageOperator(BaseOperator):
    """Checks the bounds of a dataset. `options` are those of `predicat quality run`."""

    template_fields: Sequence[str] = ("options",)

    def __init__(self, *, dataset: str, options: Sequence[str] = (), **more: Any) -> None:
        super().__init__(**more)
        self.dataset, self.options = dataset, options

    def execute(self, context: Any) -> dict[str, Any]:  # noqa: ARG002  # Airflow passes it
        """The results, if no bound is broken."""
        os.chdir(PROJECT)
        result = measured(self.dataset, *self.options)
        if sentences := broken(result):
            raise AirflowException("; ".join(sentences))
        return result


with DAG("filters", start_date=datetime(2026, 1, 1, tzinfo=UTC), schedule="@daily", catchup=False):
    quality = CoverageOperator(
        task_id="quality",
        dataset="flights",
        options=[
            "--engine",
            "postgres",
            "--dsn",
            os.environ.get("PREDICAT_DSN", ""),
            "--partition",
            "{{ ds }}",
        ],
    )
    views = BashOperator(task_id="views", bash_command='predicat apply --dsn "$PREDICAT_DSN"', cwd=PROJECT)
    _ = quality >> views
