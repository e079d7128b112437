"""A model's configuration becomes a plan, or one error with every problem."""

import pytest

from dbt.adapters.ctas_spark.config import read_plan
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingPurpose, TableName
from dbt.adapters.ctas_spark.staging.errors import ConfigurationError

TARGET = TableName("shop", "orders")


def problems(**config: object) -> list[str]:
    """The problems of a configuration that has some."""
    with pytest.raises(ConfigurationError) as caught:
        read_plan("model.p.orders", config, "", None)
    return list(caught.value.problems)


def test_an_empty_configuration_has_every_default() -> None:
    """parquet, auto, create_or_replace, and a staging schema beside the model's."""
    context = read_plan("m", {}, "", None).context(TARGET, full_refresh=False)
    assert context.layout.file_format == "parquet"
    assert context.atomicity is Atomicity.AUTO
    assert context.purpose is StagingPurpose.CREATE_OR_REPLACE
    assert context.staging_schema == "shop__ctas_spark"


def test_names_and_values_reach_the_layout() -> None:
    """A string is a list of one, YAML's booleans are Spark's, docs follow persist_docs."""
    config = {
        "partition_by": "`month`",
        "clustered_by": ["id"],
        "buckets": 4,
        "tblproperties": {"hot": True, "n": 1},
        "persist_docs": {"relation": True},
    }
    layout = read_plan("m", config, "Orders", None).layout
    assert (layout.partition_by, layout.clustered_by, layout.buckets) == (("month",), ("id",), 4)
    assert layout.properties == {"hot": "true", "n": "1"}
    assert layout.comment == "Orders"


@pytest.mark.parametrize(
    ("model", "profile", "expected"),
    [(None, None, "shop__ctas_spark"), (None, "p", "p"), ("m", "p", "m")],
)
def test_the_nearest_staging_schema_wins(
    model: str | None, profile: str | None, expected: str
) -> None:
    """The model's own, else the profile's, else the default."""
    plan = read_plan("m", {"staging_schema": model}, "", profile)
    assert plan.context(TARGET, full_refresh=False).staging_schema == expected


def test_a_full_refresh_rebuilds_what_would_be_kept() -> None:
    """create_if_not_exists becomes create_or_replace, and no other purpose changes."""
    kept = read_plan("m", {"staging_purpose": "create_if_not_exists"}, "", None)
    only_new = read_plan("m", {"staging_purpose": "create"}, "", None)
    assert kept.context(TARGET, full_refresh=True).purpose is StagingPurpose.CREATE_OR_REPLACE
    assert only_new.context(TARGET, full_refresh=True).purpose is StagingPurpose.CREATE


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"atomicity": "atomic"}, "atomicity: 'atomic' is not available yet"),
        ({"atomicity": "strong"}, "atomicity: 'strong' is unknown"),
        ({"staging_purpose": "upsert"}, "staging_purpose: 'upsert' is unknown"),
        (
            {"on_conflict": "ignore"},
            "on_conflict: 'ignore' is unknown; use one of abort, overwrite",
        ),
        ({"file_format": "iceberg"}, "file_format: 'iceberg' is not available yet"),
        ({"file_format": "hudi"}, "file_format: 'hudi' is not available yet"),
        ({"file_format": "excel"}, "file_format: 'excel' is unknown"),
        ({"partition_metadata": "tracked"}, "partition_metadata: 'tracked' is not available yet"),
        ({"partition_metadata": "some"}, "partition_metadata: 'some' is unknown"),
        ({"partition_by": {"a": 1}}, "partition_by: {'a': 1} is not a column name"),
        ({"buckets": 2}, "buckets and clustered_by: give both"),
        ({"buckets": 0, "clustered_by": "id"}, "buckets: 0 is not a count"),
        ({"tblproperties": "x"}, "tblproperties: 'x' is not a mapping"),
        ({"tblproperties": {"ctas_spark_commit": 1}}, "'ctas_spark_commit' is reserved"),
        ({"options": {"PATH": "/x"}}, "options: 'path' is decided by the version"),
        ({"location_root": 7}, "location_root: 7 is not a text"),
        ({"grace_period": "1h"}, "grace_period: not available yet"),
        ({"staging_porpose": "create"}, "staging_porpose: unknown; did you mean staging_purpose?"),
    ],
)
def test_each_wrong_value_is_named(config: dict[str, object], said: str) -> None:
    """A problem names the config, the value, and what would be right."""
    (problem,) = problems(**config)
    assert said in problem


def test_every_problem_is_in_one_error() -> None:
    """A user mends all of a model's configuration at once."""
    found = problems(atomicity="x", staging_purpose="y", file_format="z")
    assert len(found) == 3
