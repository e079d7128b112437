"""A Hive metastore over plain Thrift, without a JVM."""
