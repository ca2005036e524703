"""Expressions of Apache Iceberg: read restrictions and filters of scans in its REST catalogs."""
