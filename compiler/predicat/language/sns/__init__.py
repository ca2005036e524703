"""Amazon SNS filter policies."""
