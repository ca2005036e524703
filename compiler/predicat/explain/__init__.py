"""Explanations: a condition, a row and an outcome in words."""
