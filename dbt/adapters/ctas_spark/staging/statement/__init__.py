"""Tables that one statement of Spark's publishes, as a copy of a staged table."""
