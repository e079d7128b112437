"""The statements of a publication."""

from typing import ClassVar

from ctas_spark.context import TableLayout, TableName
from ctas_spark.publish import ddl


def test_every_clause_of_a_layout_is_written_and_quoted() -> None:
    """A CTAS has USING, options, partitions, buckets, location, comment and properties."""
    layout = TableLayout(
        file_format="orc",
        partition_by=("mo`nth",),
        clustered_by=("id", "k"),
        buckets=4,
        comment="it's",
        options={"compression": "zlib"},
        properties={"team": "core"},
    )
    text = ddl.create_table_as(
        TableName("staging", "t__v1"),
        "s3a://b/t/v1",
        layout,
        {"ctas_spark_state": "staged"},
        "select 1",
    )
    assert text == (
        "CREATE TABLE `spark_catalog`.`staging`.`t__v1`\n"
        "USING `orc`\n"
        "OPTIONS ('compression' = 'zlib')\n"
        "PARTITIONED BY (`mo``nth`)\n"
        "CLUSTERED BY (`id`, `k`) INTO 4 BUCKETS\n"
        "LOCATION 's3a://b/t/v1'\n"
        "COMMENT 'it\\'s'\n"
        "TBLPROPERTIES ('team' = 'core', 'ctas_spark_state' = 'staged')\n"
        "AS\nselect 1"
    )


def test_buckets_can_be_sorted() -> None:
    """The order within each bucket stands between its columns and their number."""
    layout = TableLayout(clustered_by=("id",), sorted_by=("k", "a,b"), buckets=2)
    text = ddl.create_table_as(TableName("s", "t"), "/t", layout, {}, "select 1")
    assert "CLUSTERED BY (`id`) SORTED BY (`k`, `a,b`) INTO 2 BUCKETS\n" in text


def test_a_trailing_comment_does_not_swallow_the_bracket() -> None:
    """A model that ends in a line comment can still be wrapped."""
    assert ddl.without_rows("select 1 -- done").endswith("-- done\n) LIMIT 0")


def test_a_staging_schema_that_another_run_makes_at_the_same_moment_is_used() -> None:
    """In every catalog: the look comes before the statement, and once more after it."""

    class Catalog:
        name = "glue"
        found: ClassVar = {"shop"}

        def has_namespace(self, namespace: str) -> bool:
            return namespace in self.found

    def lose(_statement: str) -> None:
        Catalog.found.add("shop__ctas_spark")
        raise RuntimeError("duplicate key")

    ddl.StagingNamespaces(Catalog(), lose).ensure("shop__ctas_spark", TableName("shop", "orders"))
