"""Filters of Google APIs (AIP-160)."""
