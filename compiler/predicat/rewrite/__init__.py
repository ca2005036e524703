"""Rewrites of the core that keep its meaning, or the rows for which it is TRUE."""
