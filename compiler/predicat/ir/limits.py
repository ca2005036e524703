"""Limits of depth and size: they bound the time and memory for every input."""

MAX_LENGTH = 100_000
"""Characters of a body."""
MAX_DEPTH = 100
"""Levels of a tree, and of nodes."""
MAX_NODES = 20_000
"""Parts of a tree."""
MAX_TYPED_NODES = 100_000
"""Typed nodes. There may be more than parts of a tree: the check and the lowering expand operators, and
references to filters are inlined.
"""
MAX_VALUES = 100
"""Values of different types in one choice: an operator on the choice is applied to each of them."""
