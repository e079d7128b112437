"""What is left when runs are killed, cancelled, or cut off from the metastore."""
