"""The language server: what editors ask about catalog files."""
