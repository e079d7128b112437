"""A model's configuration becomes a plan, or one error with every problem."""

from typing import Any

import pytest
from dbt.artifacts.resources.v1.model import ModelConfig

from ctas_spark.context import Atomicity, StagingPurpose, TableName
from ctas_spark.errors import ConfigurationError
from ctas_spark.options import read_plan

TARGET = TableName("shop", "orders")


def problems(**config: object) -> list[str]:
    """The problems of a configuration that has some."""
    with pytest.raises(ConfigurationError) as caught:
        read_plan("model.p.orders", config, "", TARGET, None)
    return list(caught.value.problems)


def test_an_empty_configuration_has_every_default() -> None:
    """parquet, auto, create_or_replace, and a staging schema next to the model's."""
    context = read_plan("m", {}, "", TARGET, None).context
    assert context.layout.file_format == "parquet"
    assert context.atomicity is Atomicity.AUTO
    assert context.purpose is StagingPurpose.CREATE_OR_REPLACE
    assert context.staging_schema == "shop__ctas_spark"


def test_names_and_values_reach_the_layout() -> None:
    """A string is a list of one, YAML's booleans are Spark's, docs follow persist_docs."""
    config = {
        "partition_by": "`month`",
        "clustered_by": ["id"],
        "sorted_by": "id, `a,b`",
        "buckets": 4,
        "tblproperties": {"hot": True, "n": 1},
        "persist_docs": {"relation": True},
    }
    layout = read_plan("m", config, "Orders", TARGET, None).context.layout
    assert (layout.partition_by, layout.clustered_by, layout.buckets) == (("month",), ("id",), 4)
    assert layout.sorted_by == ("id", "a,b")
    assert layout.properties == {"hot": "true", "n": "1"}
    assert layout.comment == "Orders"
    assert layout.column_comments == {}
    documented = {"persist_docs": {"columns": True}}
    columns = read_plan(
        "m", documented, "", TARGET, None, column_comments={"id": "its number"}
    ).context.layout.column_comments
    assert columns == {"id": "its number"}


@pytest.mark.parametrize(
    ("model", "profile", "expected"),
    [(None, None, "shop__ctas_spark"), (None, "P", "p"), ("M", "p", "m")],
)
def test_the_nearest_staging_schema_wins(
    model: str | None, profile: str | None, expected: str
) -> None:
    """The model's own, else the profile's, else the default; as a metastore lists it."""
    plan = read_plan("m", {"staging_schema": model}, "", TARGET, profile)
    assert plan.context.staging_schema == expected


def test_another_catalogs_staging_schema_keeps_its_letters() -> None:
    """Capital letters make another namespace there."""
    plan = read_plan("m", {"staging_schema": "M"}, "", TableName("shop", "orders", "lake"), None)
    assert plan.context.staging_schema == "M"


def test_a_full_refresh_rebuilds_what_would_be_kept() -> None:
    """create_if_not_exists becomes create_or_replace, and no other purpose changes."""
    kept, only_new = (
        read_plan("m", {"staging_purpose": purpose}, "", TARGET, None, full_refresh=True)
        for purpose in ("create_if_not_exists", "create")
    )
    assert kept.context.purpose is StagingPurpose.CREATE_OR_REPLACE
    assert only_new.context.purpose is StagingPurpose.CREATE


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"grace_period": "1h"}, "grace_period: '1h' is not a number of seconds"),
        ({"versions_to_keep": True}, "versions_to_keep: True is not a number of versions"),
        ({"atomicity": "strong"}, "atomicity: 'strong' is not one of none"),
        ({"staging_purpose": "upsert"}, "staging_purpose: 'upsert' is not one of "),
        (
            {"on_conflict": "ignore"},
            "on_conflict: 'ignore' is not one of abort, overwrite",
        ),
        ({"file_format": "hudi"}, "file_format: 'hudi' reaches no level"),
        ({"file_format": "excel"}, "file_format: 'excel' is unknown"),
        ({"partition_metadata": "hive"}, "partition_metadata: 'hive' is not one of auto"),
        ({"partition_metadata": "some"}, "partition_metadata: 'some' is not one of auto"),
        ({"partition_by": {"a": 1}}, "partition_by: {'a': 1} is not a column name"),
        ({"buckets": 2}, "buckets and clustered_by: give both"),
        ({"buckets": 0, "clustered_by": "id"}, "buckets: 0 is not a whole number"),
        ({"sorted_by": "id"}, "sorted_by: sets the order within buckets"),
        (
            {"partition_by": ["a b"], "partition_metadata": "tracked"},
            "partition_metadata: a metastore can't filter by the column 'a b'",
        ),
        ({"partition_by": "`.a`"}, "partition_by: '.a' begins with a dot"),
        ({"clustered_by": "${a}", "buckets": 1}, "clustered_by: '${a}' contains ${, which Spark"),
        ({"partition_by": ["``"]}, "partition_by: a column without a name"),
        ({"partition_by": "k" * 129}, "holds 128 characters of the name 'kkkkkkkkkkkkkkkkkkkk'"),
        ({"tblproperties": {"k" * 257: 1}}, "tblproperties: a metastore holds 256 characters"),
        ({"options": {"k" * 257: 1}}, "options: a metastore holds 256 characters"),
        ({"tblproperties": {"spark.sql.x": 1}}, "'spark.sql.x' is reserved by Spark"),
        ({"tblproperties": {"owner": "me"}}, "'owner' is reserved by Spark"),
        ({"tblproperties": {"numRows": 1}}, "'numRows' is written by the metastore itself"),
        ({"location_root": "/data/[ab]"}, "location_root: '/data/[ab]' has [ ], which Spark"),
        ({"tblproperties": "x"}, "tblproperties: 'x' is not a mapping"),
        ({"tblproperties": {"ctas_spark_commit": 1}}, "'ctas_spark_commit' is reserved"),
        ({"options": {"PATH": "/x"}}, "options: 'path' can't be set"),
        ({"location_root": 7}, "location_root: 7 is not a text"),
        ({"location_root": "data/raw"}, "location_root: 'data/raw' is relative"),
        ({"location_root": "file:data"}, "location_root: 'file:data' is relative"),
        ({"abort_timeout": "1m"}, "abort_timeout: '1m' is not a number of seconds"),
        ({"metastore_reads": "repeatable"}, "metastore_reads: belongs in the profile"),
        ({"iceberg_catalogs": []}, "iceberg_catalogs: belongs in the profile"),
        ({"file_format": "paimon"}, "truncates the live table"),
        ({"atomicity": "versions"}, "isolated, auto; did you mean isolated?"),
        ({"on_conflict": "overwrit"}, "did you mean overwrite?"),
        ({"staging_porpose": "create"}, "staging_porpose: unknown; did you mean staging_purpose?"),
        ({"file_fromat": "orc"}, "file_fromat: unknown; did you mean file_format?"),
        ({"partitionby": "day"}, "partitionby: unknown; did you mean partition_by?"),
        ({"partitionedBy": "day"}, "partitionedBy: unknown; did you mean partition_by?"),
        ({"tblProperties": {}}, "tblProperties: unknown; did you mean tblproperties?"),
        ({"cluster_by": "day"}, "cluster_by: unknown; did you mean clustered_by?"),
    ],
)
def test_each_wrong_value_is_named(config: dict[str, object], said: str) -> None:
    """A problem names the config, the value, and what would be right."""
    (problem,) = problems(**config)
    assert said in problem


def test_another_warehouses_config_can_be_taken_back() -> None:
    """By null in dbt_project.yml, where a package has it."""
    context = read_plan("m", {"cluster_by": None}, "", TARGET, None).context
    assert context.layout.clustered_by == ()


@pytest.mark.parametrize(
    "given",
    ["days(ts)", "bucket(8, id)", "k, Truncate(4, `a b`)", ["k", "hours(ts)"], ["bucket(id, 8)"]],
)
def test_a_transform_is_refused_where_only_columns_partition(given: object) -> None:
    """Tables of files and of Delta have none; Iceberg has, and a column may have such a name."""
    for file_format in (None, "orc", "delta"):
        (problem,) = problems(partition_by=given, file_format=file_format)
        assert "is a transform, which only Iceberg tables have; select its value" in problem
    for target, file_format in ((TARGET, "iceberg"), (TableName("shop", "orders", "ice"), None)):
        read_plan("m", {"partition_by": given, "file_format": file_format}, "", target, None)
    for column in ("`days(ts)`", ["`bucket(8, id)`"], "total(eur)", ["bucket(id, name)"]):
        read_plan("m", {"partition_by": column}, "", TARGET, None)


@pytest.mark.parametrize(
    ("target", "staging_schema", "said"),
    [
        (TableName("shop", "a b"), None, "table 'a b': Spark's session catalog takes"),
        (TableName("shop", "ü"), None, "set another alias"),
        (TableName("a-b", "t"), "s", "schema 'a-b': Spark's session catalog takes"),
        (TableName("shop", "t"), "a.b", "set another staging_schema"),
        (TableName("s" * 117, "t"), None, "set a shorter staging_schema"),
        (TableName("s" * 129, "t"), "s", "allows 128 characters, and this name has 129"),
        (TableName("shop", "t" * 251), None, "may have 255 characters, but this name has 256"),
    ],
)
def test_names_that_the_catalog_can_not_hold_are_refused(
    target: TableName, staging_schema: str | None, said: str
) -> None:
    """The error names model, name and limit, and what to set instead."""
    with pytest.raises(ConfigurationError, match="orders") as caught:
        read_plan("model.p.orders", {}, "", target, staging_schema)
    (problem,) = caught.value.problems
    assert said in problem


def test_the_longest_names_that_fit_are_taken() -> None:
    """A name at its limit is no problem."""
    target = TableName("d" * 128, "t" * 126)
    plan = read_plan("m", {"partition_by": "k" * 128}, "", target, "s" * 128)
    assert plan.context.target == target


def test_another_catalog_has_limits_of_its_own() -> None:
    """What the session catalog can't hold is no problem elsewhere."""
    target = TableName("a-b", "ü" * 300, "ice")
    assert read_plan("m", {}, "", target, None).context.target == target


def test_every_problem_is_in_one_error() -> None:
    """A user mends all of a model's configuration at once."""
    found = problems(atomicity="x", staging_purpose="y", file_format="z")
    assert len(found) == 3


def test_dbts_own_object_of_a_configuration_is_read() -> None:
    """It has values by name, and is no dict."""
    config: Any = ModelConfig.from_dict({"file_format": "orc", "atomicity": "atomic"})
    context = read_plan("m", config, "", TARGET, None).context
    assert (context.layout.file_format, context.atomicity) == ("orc", Atomicity.ATOMIC)
    broken: Any = ModelConfig.from_dict({"tblproperties": 7, "atomicity": "x"})
    with pytest.raises(ConfigurationError) as caught:
        read_plan("m", broken, "", TARGET, None)
    assert len(caught.value.problems) == 2
