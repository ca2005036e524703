"""PostgreSQL: views of filters, applied in one transaction; a server of its own where the user has none."""
