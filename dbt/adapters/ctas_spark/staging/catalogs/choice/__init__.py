"""Which catalog serves a table: by what is configured, before anything is opened."""
