"""What is known of nodes, whatever the row. Nothing here changes a node."""
