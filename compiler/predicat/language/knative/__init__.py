"""Knative Triggers and filters of the CloudEvents Subscriptions API."""
