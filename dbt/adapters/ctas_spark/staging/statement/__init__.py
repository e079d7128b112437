"""Tables of any catalog of Spark's, published by one statement."""
