"""Pulsar message filters: the protobuf Expr and its builder's predicates."""
