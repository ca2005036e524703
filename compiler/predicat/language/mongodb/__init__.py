"""Query documents of MongoDB."""
