"""What agents ask a catalog: tools over MCP, and the filter that a WHERE is."""
