"""The reader of CSV and JSON files."""
