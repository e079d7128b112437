"""Delta tables in the session catalog, on one session."""
