"""A pytest plugin: the tests run on the installed package, never on the checkout's own files."""

import sys
from pathlib import Path

import pytest

import ctas_spark
import dbt.adapters.ctas_spark
import dbt.include.ctas_spark

PACKAGES = (ctas_spark, dbt.adapters.ctas_spark, dbt.include.ctas_spark)


def pytest_report_header() -> str:
    """Say where the tested package is."""
    return f"tested package: {dbt.adapters.ctas_spark.__file__}"


def pytest_sessionstart() -> None:
    """Stop before the first test if a package of ours is not the environment's."""
    for package in PACKAGES:
        file = Path(str(package.__file__))
        if not file.is_relative_to(sys.prefix):
            pytest.exit(f"{file} is not of the environment {sys.prefix} that is tested", 3)
