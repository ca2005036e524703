"""An Airflow DAG: coverage is checked before the views are applied. A broken bound (exit code 1) or a
failed engine (3) stops it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

# The folder that holds `catalog/`: Airflow runs commands in an empty one.
PROJECT = str(Path(__file__).resolve().parents[2])

with DAG("filters", start_date=datetime(2026, 1, 1, tzinfo=UTC), schedule="@daily", catchup=False):
    quality = BashOperator(
        task_id="quality",
        bash_command=(
            'predicat quality run flights --engine postgres --dsn "$PREDICAT_DSN" --partition {{ ds }} '
            "--format junit --out target/quality-{{ ds }}.xml"
        ),
        cwd=PROJECT,
    )
    views = BashOperator(task_id="views", bash_command='predicat apply --dsn "$PREDICAT_DSN"', cwd=PROJECT)
    _ = quality >> views
