"""What tables of a format with commits of its own (Iceberg, Delta) have in common."""
