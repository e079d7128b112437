"""Tables of a database behind a JDBC catalog, which a rename publishes."""
