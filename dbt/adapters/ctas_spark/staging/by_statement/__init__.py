"""Tables of any catalog of Spark's, published by the statement that its staging makes atomic."""
