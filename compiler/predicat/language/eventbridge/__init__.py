"""Amazon EventBridge event patterns."""
