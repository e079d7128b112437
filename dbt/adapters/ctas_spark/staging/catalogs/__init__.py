"""The catalogs that tables can be staged on, one file for each; who is chosen, and how opened."""
