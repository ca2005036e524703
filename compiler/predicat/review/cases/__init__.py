"""Proofs by cases: a finite set of rows that stands for all rows, and what two predicates are on each of them."""
