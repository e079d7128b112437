"""Tables of files in Spark's session catalog."""
