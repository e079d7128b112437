"""Catalogs that are published in by a statement, declared and probed, or refused."""
