"""What takes several operators of the core: how it is built, and how it is recognised again."""
