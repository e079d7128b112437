"""A metastore that refuses new column types, which is a server's default."""
