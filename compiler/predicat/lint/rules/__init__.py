"""The rules of `predicat lint`, one per file."""
