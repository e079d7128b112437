"""A session of Spark's Thrift server."""
