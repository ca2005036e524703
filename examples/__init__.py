"""Data for the demonstration and the tests."""
