"""Stock dbt-spark, whose `table` drops before it creates: what the readers must catch."""

from collections.abc import Mapping
from pathlib import Path

from readers.project import session_output, write_project

MODEL = {"materialized": "table", "file_format": "parquet"}


def stock_project(directory: Path, schema: str, conf: Mapping[str, str]) -> Path:
    """Write a project for the unchanged dbt-spark adapter into ``directory``."""
    return write_project(directory, session_output("spark", schema, conf), MODEL)
