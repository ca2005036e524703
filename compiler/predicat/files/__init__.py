"""Files whose cells are texts: CSV and JSON. One reader, and one meaning of a text for all engines."""
