"""Limits of depth and size: they bound the time and memory for every input."""

# Characters of a body.
MAX_LENGTH = 100_000
# Levels of a tree, and of nodes.
MAX_DEPTH = 100
# Parts of a tree.
MAX_NODES = 20_000
# Typed nodes. There may be more than parts of a tree: the check and the lowering expand operators, and
# references to filters are inlined.
MAX_TYPED_NODES = 100_000
# Values of different types in one choice: an operator on the choice is applied to each of them.
MAX_VALUES = 100
