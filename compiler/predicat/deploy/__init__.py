"""PostgreSQL: views of filters, applied in one transaction; an embedded server if the user has none."""
