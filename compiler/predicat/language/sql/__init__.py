"""SQL conditions."""
