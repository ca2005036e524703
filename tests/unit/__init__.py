"""The passes, one file each, without engines."""
