"""DataFrames that are published as tables, and the upkeep of these, for PySpark code."""
