"""How the archive of Spark's classes is made, which lets a JVM start faster."""
