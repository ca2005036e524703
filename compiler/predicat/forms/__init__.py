"""Expressions of several core operators: functions that build them, and functions that recognize them."""
