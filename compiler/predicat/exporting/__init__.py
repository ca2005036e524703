"""Filters for other tools: `predicat export TARGET` writes files that these tools read.

`targets` is the table of the targets. A target writes what it can say exactly, and refuses the rest.
"""
