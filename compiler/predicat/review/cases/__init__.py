"""Proofs by cases: rows that stand for all rows, and two predicates on each of them."""
