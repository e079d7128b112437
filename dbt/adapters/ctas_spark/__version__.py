"""The version of this package, read by dbt and by the build."""

version = "0.1.0"
