"""The first row that a filter accepts: where to seek to. Spark's part is in `predicat_spark.seeking`."""

from predicat.seeking.found import Found, starting_offsets

__all__ = ["Found", "starting_offsets"]
