"""Conditions of Spark SQL."""
