"""Finds conditions in files of SQL, dbt, PySpark and manifests, and in a PostgreSQL server."""
