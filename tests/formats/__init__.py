"""What the suites of Delta and Iceberg have in common."""
