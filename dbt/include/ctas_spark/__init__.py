"""The macros of this adapter, where dbt looks for them."""

from pathlib import Path

PACKAGE_PATH = str(Path(__file__).parent)
