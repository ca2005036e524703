"""Bounds of depth and size: no input takes time or memory without end."""

MAX_LENGTH = 100_000
"""Characters of a body."""
MAX_DEPTH = 100
"""Levels of a tree, and of nodes."""
MAX_NODES = 20_000
"""Parts of a tree."""
MAX_TYPED_NODES = 100_000
"""Typed nodes: the check and lowering take operators apart, and filters that are referred to are inserted."""
MAX_VALUES = 100
"""Values of several types that a part may choose between: an operator on it is applied to each."""
