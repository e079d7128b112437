"""What else HDFS has: quotas, snapshots, encryption zones, and file systems of links."""

import pytest

from ctas_spark.engines import jvm
from real_places.hdfs import LINKS, Hdfs

MEGABYTE = 1 << 20
"""Less than a block, which HDFS counts as a whole while it is written."""
TRASH = "fs.trash.interval"
MODEL = """
{{ config(materialized='table', partition_by='day', versions_to_keep=0, grace_period=0) }}
select {{ var('n', 1) }} as id, 'x' as day
"""


def built_twice(place: Hdfs) -> None:
    """Two builds, after which the first one's version is gone."""
    place.project.write({"models/m.sql": MODEL})
    for number in (1, 2):
        place.project.build(n=number)
    assert place.rows("m") == [(2, "x")]
    assert len([one for one in place.files() if one.endswith(".parquet")]) == 1


def test_a_quota_fails_the_model_and_not_its_table(place: Hdfs) -> None:
    """The error names it, and nothing of the name node's stack is shown."""
    place.project.write({"models/m.sql": MODEL})
    place.project.build()
    directory = place.path(place.directory)
    place.system.setQuota(directory, -1, MEGABYTE)
    refused = place.project.dbt("run", n=2)
    place.system.setQuota(directory, -1, -1)
    assert not refused.success
    assert "quota" in refused.message("m").lower()
    assert "\tat " not in refused.message("m")
    assert place.rows("m") == [(1, "x")]
    place.project.build(n=3)
    assert place.rows("m") == [(3, "x")]


@pytest.mark.long
def test_a_snapshot_keeps_its_files_and_stops_no_build(place: Hdfs) -> None:
    """Of the schema's directory; and where one of a version's own does, the run says so."""
    hdfs, directory = place.system, place.path(place.directory)
    hdfs.allowSnapshot(directory)
    hdfs.createSnapshot(directory, "of_all")
    built_twice(place)
    (file,) = (one for one in place.files() if one.endswith(".parquet"))
    version = place.path(f"{place.directory}/{'/'.join(file.split('/')[:4])}")
    hdfs.deleteSnapshot(directory, "of_all")
    hdfs.disallowSnapshot(directory)
    hdfs.allowSnapshot(version)
    hdfs.createSnapshot(version, "of_one")
    run = place.project.build(n=4)
    assert "already has snapshots" in run.log
    assert place.rows("m") == [(4, "x")]
    hdfs.deleteSnapshot(version, "of_one")
    place.project.build(n=5)
    assert len([one for one in place.files() if one.endswith(".parquet")]) == 1


@pytest.mark.long
def test_a_schema_may_lie_in_an_encryption_zone(place: Hdfs) -> None:
    """Nothing of a publication is renamed out of it."""
    place.system.createEncryptionZone(place.path(place.directory), "key")
    built_twice(place)


def test_a_schema_may_lie_on_a_file_system_of_links(bare: Hdfs) -> None:
    """The directories get the permissions that they have behind the link."""
    bare.create_schema(f"viewfs://{LINKS}/linked/{bare.project.schema}.db")
    built_twice(bare)
    assert {mode.partition(" ")[2] for mode in bare.modes().values()} == {"rwxrwxr-x"}


@pytest.mark.long
def test_old_versions_do_not_go_through_the_trash(place: Hdfs) -> None:
    """Whose files would count until it is emptied."""
    hadoop = jvm.hadoop_configuration(place.spark)
    hadoop.set(TRASH, "60")
    try:
        built_twice(place)
        assert place.system.getTrashRoots(True).isEmpty()
    finally:
        hadoop.unset(TRASH)
