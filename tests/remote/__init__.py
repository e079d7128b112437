"""dbt over Spark Connect and over Thrift: real servers, and no JVM in dbt's process."""
