"""Advice on indexes and statistics of PostgreSQL that is tried before it is given."""
