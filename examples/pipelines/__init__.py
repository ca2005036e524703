"""Coverage inside pipelines: PySpark, Airflow, Dagster, Prefect."""
