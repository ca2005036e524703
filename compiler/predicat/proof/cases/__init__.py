"""Proofs by cases: representative rows, and the outcomes of two predicates on each of them."""
