"""Proofs: what a change of a condition does to the rows, with rows that show it. Knows no catalog."""
