"""Conditions of PostgreSQL."""
