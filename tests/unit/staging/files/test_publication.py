"""The fields of a published entry."""

from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.files import publication
from dbt.adapters.ctas_spark.staging.files.base import Base
from fakes.metastore import entry
from fakes.world import STAGING_SCHEMA, TARGET_NAME

STAGED = entry(
    replace(TARGET_NAME, database=STAGING_SCHEMA),
    location="file:/w/v2",
    parameters={
        "EXTERNAL": "TRUE",
        "ctas_spark_state": "staged",
        "spark.sql.partitionProvider": "catalog",
        "spark.sql.sources.schema": "new",
        "transient_lastDdlTime": "5000",
        "numFiles": "2",
        "team": "growth",
    },
)
BASE = entry(
    TARGET_NAME,
    parameters={
        "spark.sql.sources.schema": "old",
        "spark.sql.statistics.totalSize": "9",
        "numRows": "9",
        "orc.compress": "ZLIB",
        "owned_by": "finance",
        "team": "core",
        "transient_lastDdlTime": "1800000000",
    },
)


def published(now: int) -> dict[str, str]:
    """The published properties when the storage shows ``now``."""
    built = publication.build(
        target=TARGET_NAME,
        staged=STAGED,
        base=Base(BASE),
        version="v2",
        level=Atomicity.ISOLATED,
        now=now,
    )
    return built.change.parameters


def test_properties_of_others_are_carried_and_the_models_win() -> None:
    """What somebody set on the table outlives a replace; the model's own value wins."""
    parameters = published(0)
    assert (parameters["owned_by"], parameters["team"]) == ("finance", "growth")


def test_nothing_of_the_old_versions_data_is_carried() -> None:
    """Schema, statistics and format options come from the staged version alone."""
    parameters = published(0)
    assert parameters["spark.sql.sources.schema"] == "new"
    assert not {"numRows", "orc.compress", "spark.sql.statistics.totalSize"} & set(parameters)


def test_the_records_properties_stay_in_the_record() -> None:
    """Of our own properties a target has the marker's and no record's."""
    assert "ctas_spark_state" not in published(0)


def test_partitions_are_published_untracked() -> None:
    """Without a partition provider Spark lists the version's directories, which are right."""
    assert "spark.sql.partitionProvider" not in published(0)


def test_the_ddl_time_always_moves_on() -> None:
    """It is the storage's time, or one second after the base's if that is later."""
    assert published(1_900_000_000_000)["transient_lastDdlTime"] == "1900000000"
    assert published(0)["transient_lastDdlTime"] == "1800000001"
