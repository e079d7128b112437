"""A crash at every step of every run, and a new run that recovers."""
