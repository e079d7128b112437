"""How SQL is run, cancelled and refreshed; one file for each kind of connection."""
