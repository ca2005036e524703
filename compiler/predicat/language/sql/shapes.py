"""Sets of arguments of sqlglot's nodes, for rules: a node with any other argument is not supported."""

THIS = frozenset({"this"})
BINARY = frozenset({"this", "expression"})
CAST = frozenset({"this", "to", "_type", "safe"})
# The arguments of a JSON arrow.
PATH = BINARY | {"only_json_types", "json_type"}
