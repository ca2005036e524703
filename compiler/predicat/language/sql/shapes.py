"""The arguments of nodes of sqlglot, by which rules take them: a node with another argument is refused."""

THIS = frozenset({"this"})
BINARY = frozenset({"this", "expression"})
CAST = frozenset({"this", "to", "_type", "safe"})
PATH = BINARY | {"only_json_types", "json_type"}
"""Of an arrow into JSON."""
