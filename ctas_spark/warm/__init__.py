"""A Spark that outlives a run: what it has to have in common with a run, and how it is used."""
