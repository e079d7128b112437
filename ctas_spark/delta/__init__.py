"""Delta tables: a version staged inside the table's directory, published by one transaction."""
