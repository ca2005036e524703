"""Rewrites of core nodes. They preserve the outcome on every row, or at least the rows that are accepted."""
