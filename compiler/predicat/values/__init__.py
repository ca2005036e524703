"""Tests of one value: what they say about it, as intervals of ordered values and as automata of texts."""
