"""Many filters at once: which of thousands of filters accept a row."""
