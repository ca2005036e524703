"""Predicates as formulas of an SMT solver (Z3), with three-valued logic."""
