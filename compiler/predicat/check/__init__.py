"""The type check: an untyped tree becomes the surface, what the author wrote, with types."""
