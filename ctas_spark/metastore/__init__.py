"""Clients of a Hive metastore behind one protocol; one file for each."""
