"""What is asked of a table before its versions are: the format that it has."""

from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark import history
from ctas_spark.dataframe.maintenance import NO_OPTIONS, _format
from ctas_spark.errors import MetastoreError
from fakes.sql_catalog import NamedByAnalysis, named

CURRENT = SimpleNamespace(currentCatalog=lambda: "spark_catalog", currentDatabase=lambda: "shop")


def session(condition: str) -> Any:
    """One in which every statement fails with that condition of Spark's."""

    def sql(_statement: str) -> Any:
        raise named(condition, NamedByAnalysis)

    return SimpleNamespace(catalog=CURRENT, sql=sql)


def test_a_table_that_is_gone_has_no_format() -> None:
    """Its versions may still be there, as those of a table of files."""
    assert _format(session("TABLE_OR_VIEW_NOT_FOUND"), "orders") == NO_OPTIONS


def test_a_look_without_an_answer_is_an_error() -> None:
    """A Delta table that is taken for one of files would be rolled back past its own history."""
    with pytest.raises(MetastoreError, match="could not look at orders"):
        history("orders", spark=session("_LEGACY_ERROR_TEMP_3065"))
