"""Staged tables: begin, stage, commit or abort one table on a Spark catalog.

This package knows Spark and its catalogs and nothing of dbt.
"""
