"""Catalogs that are published in by Spark's own statements: on the list, or declared and probed."""
