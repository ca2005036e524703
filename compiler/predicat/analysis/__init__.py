"""Static analysis: facts about nodes that are true for every row. Nothing here changes a node."""
