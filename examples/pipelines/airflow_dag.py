"""An Airflow DAG: coverage is checked before the views are applied. A broken bound (exit code 1) or a failed engine (3) stops it."""

from __future__ import annotations

from datetime import UTC, datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

with DAG("filters", start_date=datetime(2026, 1, 1, tzinfo=UTC), schedule="@daily", catchup=False):
    quality = BashOperator(
        task_id="quality",
        bash_command='predicat quality run flights --engine postgres --dsn "$PREDICAT_DSN" --partition {{ ds }} --format junit --out quality-{{ ds }}.xml',
    )
    views = BashOperator(task_id="views", bash_command='predicat apply --dsn "$PREDICAT_DSN"')
    _ = quality >> views
