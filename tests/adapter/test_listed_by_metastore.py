"""What the entries of a metastore say of a schema's tables and views, for dbt's cache and docs."""

import json

import pytest
from dbt.adapters.spark.impl import SparkAdapter

from ctas_spark.context import TableName
from ctas_spark.metastore.client import TableEntry
from dbt.adapters.ctas_spark.docs_catalog import version_shown
from dbt.adapters.ctas_spark.listed_at_once import of_metastore, without_texts

VERSION = "20260101t000000x00000000"
FIELDS = [
    {"name": "id", "type": "long"},
    {"name": "more", "type": {"type": "array", "elementType": "string"}},
]
TABLE = {
    "spark.sql.sources.provider": "parquet",
    "spark.sql.sources.schema": json.dumps({"type": "struct", "fields": FIELDS}),
    "spark.sql.statistics.totalSize": "7",
    "spark.sql.statistics.numRows": "3",
    "comment": "a\nProvider: delta",
}


def entry(kind: str = "EXTERNAL_TABLE", **parameters: str) -> TableEntry:
    """One of a schema."""
    where = None if kind == "VIRTUAL_VIEW" else f"file:/shop.db/ctas-spark/s/shop.t/{VERSION}"
    name = TableName("shop", "t")
    return TableEntry(name, kind, where, (("id", "bigint"),), (), 0, parameters, None, owner="me")


def test_a_table_is_shown_as_spark_shows_it() -> None:
    """With all that dbt's docs read: owner, statistics, location and columns, and no comment."""
    found = of_metastore(entry(**TABLE))
    assert (found.database, found.name, found.is_view) == ("shop", "t", False)
    assert (found.provider, found.is_clone) == ("parquet", False)
    assert version_shown(found.information) == VERSION
    trusted = without_texts(found.information)
    assert trusted.splitlines()[:2] == ["Owner: me", "Statistics: 7 bytes, 3 rows"]
    columns = SparkAdapter.INFORMATION_COLUMNS_REGEX.findall(trusted)
    assert [one[:2] for one in columns] == [("id", "long"), ("more", "array")]
    assert "delta" not in found.information


@pytest.mark.parametrize(
    ("kind", "parameters", "provider"),
    [
        ("VIRTUAL_VIEW", {}, ""),
        ("MANAGED_TABLE", {}, "hive"),
        ("EXTERNAL_TABLE", {"table_type": "ICEBERG"}, "iceberg"),
        ("EXTERNAL_TABLE", {"spark.sql.sources.provider": "DELTA"}, "delta"),
    ],
)
def test_each_kind_is_told_from_the_others(
    kind: str, parameters: dict[str, str], provider: str
) -> None:
    """By its own properties."""
    found = of_metastore(entry(kind, **parameters))
    assert (found.is_view, found.provider) == (kind == "VIRTUAL_VIEW", provider)
