"""CloudEvents SQL expressions."""
