"""Finds the conditions that a team already has, judges and compares them, and proposes a catalog."""
