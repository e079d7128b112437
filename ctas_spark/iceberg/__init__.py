"""Apache Iceberg's tables: forks, the difference that publishes one, and the history."""
