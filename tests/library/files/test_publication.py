"""The one change that publishes a version: every field of the new entry."""

from dataclasses import replace

import pytest

from ctas_spark.context import Atomicity, TableLayout
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.files import publication
from ctas_spark.files.base import TOTAL_SIZE, FileBase
from ctas_spark.files.publication import MetastoreCall
from ctas_spark.files.reach import PartitionState
from ctas_spark.files.table import FileTable
from ctas_spark.metastore.client import (
    PLACEHOLDER,
    VIEW,
    Column,
    EntryChange,
    TableEntry,
)
from ctas_spark.publish.marker import Marker, PublicationKind
from ctas_spark.steps import StepReport
from fakes.metastore import entry
from fakes.world import STAGING_SCHEMA, TARGET_NAME, World

WRITTEN = WriteFigures(rows=3, bytes=1_000)
PARTITIONED = {
    "spark.sql.sources.schema.numPartCols": "1",
    "spark.sql.sources.schema.partCol.0": "month",
}
STAGED = entry(
    replace(TARGET_NAME, database=STAGING_SCHEMA),
    location="file:/w/v2",
    columns=(("id", "bigint"), ("month", "string")),
    parameters={
        "EXTERNAL": "TRUE",
        "ctas_spark_record": "{}",
        "spark.sql.partitionProvider": "catalog",
        "spark.sql.sources.schema": "new",
        "transient_lastDdlTime": "5000",
        "team": "growth",
    },
)
BASE = entry(
    TARGET_NAME,
    create_time=77,
    parameters={
        "spark.sql.sources.schema": "old",
        "spark.sql.statistics.totalSize": "9",
        "orc.compress": "ZLIB",
        "owned_by": "finance",
        "team": "core",
        "transient_lastDdlTime": "1800000000",
        **dict.fromkeys(publication.NEVER_CARRIED, "9"),
    },
)


def change(
    now: int = 0,
    base: TableEntry | None = BASE,
    staged: TableEntry = STAGED,
    columns: tuple[Column, ...] | None = None,
    **of_model: str,
) -> EntryChange:
    """The change that publishes the staged entry when the storage shows ``now``."""
    seen = FileBase(base)
    world = World()
    table = FileTable(
        world.context(layout=TableLayout(properties=of_model)),
        world.catalog().services(STAGING_SCHEMA),
        StepReport(TARGET_NAME),
    )
    marker = publication.marker_over(
        *(seen, TARGET_NAME, "v2", Atomicity.ISOLATED, PublicationKind.BUILD),
        now_ms=now,
        written=WRITTEN,
    )
    call = MetastoreCall(table, staged, seen, marker, PartitionState.PENDING, columns)
    return call.change()


def test_properties_of_others_are_carried_and_the_models_win() -> None:
    """What somebody set on the table outlives a replacement; the model's own value wins."""
    parameters = change().parameters
    assert (parameters["owned_by"], parameters["team"]) == ("finance", "growth")


def test_what_the_last_model_set_and_this_one_does_not_is_gone() -> None:
    """The names of the model's properties are kept for the next one."""
    first = change(owned_by="finance")
    published = replace(BASE, parameters={**BASE.parameters, **first.parameters})
    assert first.parameters[publication.OF_THE_MODEL] == "owned_by"
    assert "owned_by" not in change(base=published).parameters


@pytest.mark.parametrize("key", sorted(publication.NEVER_CARRIED - {"EXTERNAL"}))
def test_what_describes_the_old_version_is_never_carried(key: str) -> None:
    """Its figures, and what would make the new entry another kind of table."""
    assert key not in change().parameters


@pytest.mark.parametrize(
    "key", ["spark.sql.statistics.totalSize", "orc.compress", "transient_other", "view.query.out"]
)
def test_what_begins_like_another_formats_is_never_carried(key: str) -> None:
    """Schema, statistics and options come from the staged entry alone."""
    base = replace(BASE, parameters={**BASE.parameters, key: "old"})
    assert key not in change(base=base).parameters
    assert change(base=base).parameters["spark.sql.sources.schema"] == "new"


def test_nothing_of_a_view_is_carried() -> None:
    """Its properties are those of a query."""
    view = replace(BASE, table_type=VIEW)
    assert "owned_by" not in change(base=view).parameters
    assert change(base=view).keeps_partition_keys is False


def test_the_records_properties_stay_in_the_record() -> None:
    """Of our own properties a target has the marker's and not a record's."""
    assert "ctas_spark_record" not in change().parameters


def test_partitions_are_published_untracked() -> None:
    """Without a partition provider Spark lists the version's directories, which are right."""
    assert "spark.sql.partitionProvider" not in change().parameters


def test_the_ddl_time_always_moves_on() -> None:
    """It is the storage's time, or one second after the base's if that is later."""
    assert change(1_900_000_000_000).parameters["transient_lastDdlTime"] == "1900000000"
    assert change(0).parameters["transient_lastDdlTime"] == "1800000001"
    assert "transient_lastDdlTime" not in change(base=None).parameters


def test_every_publication_has_a_fresh_commit_id_that_sorts_after_its_bases() -> None:
    """The lineage goes on, newest first, also by a clock that was set back."""
    first = change(7)
    there = replace(BASE, location="file:/w/v2", parameters=first.parameters)
    second = publication.marker_over(
        FileBase(there), TARGET_NAME, "v3", Atomicity.ATOMIC, PublicationKind.ROLLBACK, now_ms=3
    )
    marker = Marker.of(there)
    assert marker is not None
    assert (marker.base, second.base) == ("", marker.commit)
    assert second.commit > marker.commit
    assert (second.target, second.level) == ("shop.orders", "atomic")
    told = [(one.version, one.kind, one.time_ms) for one in second.lineage.entries]
    assert told == [("v3", PublicationKind.ROLLBACK, 8), ("v2", PublicationKind.BUILD, 7)]


def test_a_takeover_begins_a_lineage() -> None:
    """A table without our marker has no history that we know."""
    marker = publication.marker_over(
        FileBase(BASE), TARGET_NAME, "v2", Atomicity.ISOLATED, PublicationKind.BUILD, now_ms=0
    )
    assert (marker.base, marker.life, len(marker.lineage.entries)) == ("", marker.commit, 1)


def test_the_time_of_a_publication_over_our_own_marker_is_the_servers() -> None:
    """It is when the call landed, and the next publication writes it down."""
    first = change(7)
    there = FileBase(replace(BASE, location="file:/w/v2", parameters=first.parameters))
    assert "transient_lastDdlTime" not in change(9, base=there.entry).parameters
    marker = publication.marker_over(
        there, TARGET_NAME, "v3", Atomicity.ISOLATED, PublicationKind.BUILD, now_ms=8
    )
    assert marker.lineage.entries[1].landed_ms == 1_800_000_001_000


def test_only_a_partitioned_table_says_who_knows_its_partitions() -> None:
    """The property is one of bookkeeping."""
    assert "ctas_spark_partitions" not in change().parameters
    keyed = replace(STAGED, partition_keys=("month",), parameters={})
    assert change(staged=keyed).parameters["ctas_spark_partitions"] == "pending"


@pytest.mark.parametrize(
    ("kept", "wanted", "changes"),
    [
        ((), (), False),
        ((), ("month",), True),
        (("month",), (), True),
        (("month",), ("Month",), False),
        (("month",), ("month", "day"), True),
        (("day", "month"), ("month", "day"), True),
    ],
)
def test_hives_keys_change_by_name_and_order(
    kept: tuple[str, ...], wanted: tuple[str, ...], *, changes: bool
) -> None:
    """Hive writes them in small letters."""
    assert FileBase(replace(BASE, partition_keys=kept)).changes_keys(wanted) is changes
    assert not FileBase(None).changes_keys(wanted)


def test_kept_keys_are_left_out_of_hives_columns() -> None:
    """A column can't be both; if none is left there is Spark's own one."""
    base = replace(BASE, partition_keys=("month",))
    made = change(base=base)
    assert (made.keeps_partition_keys, made.columns) == (True, (("id", "bigint"),))
    alone = replace(STAGED, columns=(("Month", "string"),))
    assert change(base=base, staged=alone).columns == (PLACEHOLDER,)


def test_columns_that_come_later_are_not_given() -> None:
    """The publishing call then leaves the entry without any."""
    made = change(base=replace(BASE, partition_keys=("month",)), columns=())
    assert made.columns == ()


def test_a_note_on_partitions_outlives_the_publication() -> None:
    """Its holder may still wake up under the next version."""
    noted = replace(BASE, parameters={**BASE.parameters, "ctas_spark_partition_holder": "a:1"})
    assert change(base=noted).parameters["ctas_spark_partition_holder"] == "a:1"


def test_a_partitioned_version_is_published_with_its_size() -> None:
    """Spark drops it after another's INSERT, which leaves nothing else in such an entry."""
    keyed = replace(STAGED, parameters={**STAGED.parameters, **PARTITIONED})
    assert change(staged=keyed).parameters[TOTAL_SIZE] == str(WRITTEN.bytes)
    assert TOTAL_SIZE not in change().parameters
