"""Google Pub/Sub subscription filters."""
