"""The kinds of catalog that tables can be staged on; one file for each."""
