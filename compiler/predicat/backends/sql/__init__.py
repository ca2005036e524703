"""SQL back ends: one dialect a file, each a table from operators to sqlglot nodes."""
