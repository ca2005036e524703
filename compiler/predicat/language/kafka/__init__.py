"""Kafka Connect predicates."""
