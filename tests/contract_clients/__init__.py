"""What every client of a metastore does, on the fake and on a real server."""
