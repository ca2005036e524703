"""Tests of filters: their runs, what they cover, and new ones."""
