"""Passes over the typed tree, one rule a file."""
