"""The catalogs that tables can be staged on: which one serves a table, and how it is opened."""
