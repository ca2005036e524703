"""The type check: it turns an untyped tree into the surface, the typed form of what the author wrote."""
