"""Kubernetes label selectors."""
