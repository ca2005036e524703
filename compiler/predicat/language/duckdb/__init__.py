"""Conditions of DuckDB."""
