"""Iceberg's catalogs: the core on real ones, and real dbt runs."""
