"""Coverage: how many rows each filter accepts, measured in one pass and held to the catalog's bounds."""
