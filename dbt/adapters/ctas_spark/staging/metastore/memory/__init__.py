"""Spark's in-memory catalog."""
