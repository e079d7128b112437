"""Leases in the properties of tables: what others conclude from them."""

import pytest

from dbt.adapters.ctas_spark.staging.errors import StorageError
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.lease_file import (
    EXPIRES_AFTER_MS,
    LeaseState,
    state_of,
)
from dbt.adapters.ctas_spark.staging.statement.sql_formats import IcebergBySql
from dbt.adapters.ctas_spark.staging.statement.sql_tables import SqlTables
from dbt.adapters.ctas_spark.staging.statement.table_texts import TableTexts
from dbt.adapters.ctas_spark.staging.storage.client import StoredText
from fakes.sql_catalog import FakeSqlCatalog, named

PATH = "staging/run1"


@pytest.fixture
def catalog() -> FakeSqlCatalog:
    """Empty."""
    return FakeSqlCatalog()


def texts_of(catalog: FakeSqlCatalog, name: str = "ice") -> TableTexts:
    """What one run has."""
    return TableTexts(catalog.ask, SqlTables(catalog.ask, name, IcebergBySql()))


def test_a_text_is_there_until_it_is_deleted(catalog: FakeSqlCatalog) -> None:
    """With the server's time of its last write; a second delete is no error."""
    texts = texts_of(catalog)
    assert texts.read(PATH) is None
    assert texts.write(PATH, "one") == 1_000
    catalog.clock_ms = 2_000
    assert texts.write(PATH, "two") == 2_000
    assert texts.read(PATH) == StoredText("two", 2_000)
    assert texts.children("staging") == ("run1",)
    for _ in range(2):
        texts.delete(PATH)
    assert (texts.read(PATH), texts.children("staging")) == (None, ())


def test_a_text_whose_table_is_gone_is_written_again(catalog: FakeSqlCatalog) -> None:
    """Somebody took the run for dead; it is alive."""
    texts = texts_of(catalog)
    texts.write(PATH, "one")
    catalog.shown.clear()
    texts.write(PATH, "two")
    assert texts.read(PATH) == StoredText("two", 1_000)


def test_another_run_of_that_name_is_no_error(catalog: FakeSqlCatalog) -> None:
    """The table was made by an earlier client of the same lease."""
    texts_of(catalog).write(PATH, "one")
    assert texts_of(catalog).write(PATH, "two") == 1_000


def test_the_session_catalogs_tables_have_a_format(catalog: FakeSqlCatalog) -> None:
    """One whose properties are in the metastore alone."""
    texts_of(catalog, "spark_catalog").write(PATH, "one")
    created = next(one for one in catalog.statements if one.startswith("CREATE"))
    assert "USING parquet" in created


@pytest.mark.parametrize("call", ["write", "read", "children", "delete"])
def test_no_answer_is_an_error(catalog: FakeSqlCatalog, call: str) -> None:
    """And never "there is none": a living run's table would be dropped."""
    texts = texts_of(catalog)
    texts.write(PATH, "one")
    catalog.failure = named("SOMETHING")
    arguments = {"write": (PATH, "x"), "children": ("staging",)}.get(call, (PATH,))
    with pytest.raises(StorageError):
        getattr(texts, call)(*arguments)


def test_a_lease_says_the_same_as_one_in_a_file(catalog: FakeSqlCatalog) -> None:
    """Living while it beats, expired when it is silent, given back when it is gone."""
    lease = Lease(texts_of(catalog), name="run1")
    others = texts_of(catalog)
    lease.beat("staging")
    assert state_of(others, "staging", "run1", 1_000) is LeaseState.LIVING
    later = 1_001 + EXPIRES_AFTER_MS
    assert state_of(others, "staging", "run1", later) is LeaseState.EXPIRED
    lease.close()
    assert state_of(others, "staging", "run1", later) is LeaseState.GIVEN_BACK
