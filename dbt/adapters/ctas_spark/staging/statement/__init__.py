"""Tables that one statement of Spark's publishes: a version is staged as a whole table, then copied."""
