"""A Hive metastore through the client classes in Spark's own JVM."""
