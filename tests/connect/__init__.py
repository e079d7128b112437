"""dbt over Spark Connect: a real server, and no JVM in dbt's process."""
