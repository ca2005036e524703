"""SQL back ends: one folder per dialect, each a table from operators to sqlglot nodes."""
