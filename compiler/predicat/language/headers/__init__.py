"""PeeGeeQ server-side filters."""
