"""Stand-ins for what the core works with; no JVM."""
