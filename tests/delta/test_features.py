"""Delta's own features, on the side of the table and on that of the staged version."""

import pytest

from ctas_spark.delta import tables
from ctas_spark.errors import AtomicityNotSupportedError
from delta.place import Place
from long import long

MAPPED = {"delta.columnMapping.mode": "name"}
VECTORS = {"delta.enableDeletionVectors": "true"}


def test_deletion_vectors(place: Place) -> None:
    """Of the table, which a restore finds again; of the version, which later deletes use."""
    context = place.context(properties=VECTORS)
    place.publish("SELECT id FROM range(5)", context)
    place.sql("DELETE FROM {t} WHERE id = 2")
    place.publish("SELECT id + 100 AS id FROM range(5)", context)
    place.sql("DELETE FROM {t} WHERE id = 101")
    assert place.rows() == [(100,), (102,), (103,), (104,)]
    assert list(place.root().rglob("deletion_vector_*"))
    place.staging.roll_back(place.context())
    assert place.rows() == [(0,), (1,), (3,), (4,)]


@pytest.mark.parametrize("most_commits", [0, tables.MOST_COMMITS])
def test_the_files_of_the_base_are_removed_as_delta_removes_them(
    place: Place, most_commits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With their sizes, partitions and deletion vectors, which VACUUM and change feeds read.

    By Spark, and by the text of the last commits.
    """
    monkeypatch.setattr(tables, "MOST_COMMITS", most_commits)
    place.publish("SELECT id, 'a b' AS p FROM range(5)", place.context(partition_by=("p",)))
    place.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    place.sql("INSERT INTO {t} VALUES (9, NULL)")
    place.sql("DELETE FROM {t} WHERE id = 2")
    delta = tables.DeltaTables(place.spark)
    table = delta.find(place.target)
    assert table is not None
    files = table.snapshot.allFiles().collectAsList()
    theirs = {files.get(at).removeWithTimestamp(7, True).json() for at in range(files.size())}
    ours = {one.json() for one in delta.removals(table, 7)}
    assert len(theirs) == 2
    assert ours == theirs


def test_what_was_compacted_since_its_job_is_published(place: Place) -> None:
    """Delta's automatic compaction replaces the staged files by a commit of its own."""
    place.publish("SELECT 0L AS id")
    staged = place.stage("SELECT /*+ REPARTITION(3) */ id FROM range(9)")
    place.spark.sql(f"OPTIMIZE {staged.verify()}")
    staged.commit()
    staged.settle()
    assert len(place.rows()) == 9
    assert place.detail()["numFiles"] == 1


def test_column_mapping_comes_and_goes(place: Place) -> None:
    """With names that no plain table could have; an ALTER of them works after."""
    place.publish("SELECT 1 AS a")
    place.publish("SELECT 1 AS `a b`, 'y' AS `c,d`", place.context(properties=MAPPED))
    assert place.rows() == [(1, "y")]
    place.publish("SELECT 2 AS `a b`, 3 AS z", place.context(properties=MAPPED))
    place.sql("ALTER TABLE {t} RENAME COLUMN z TO `z z`")
    assert place.columns() == ["a b", "z z"]
    assert place.rows() == [(2, 3)]
    place.publish("SELECT 4 AS a")
    assert place.rows() == [(4,)]
    place.staging.roll_back(place.context())
    assert place.rows() == [(2, 3)]


def test_clustering_and_partitions_take_each_others_place(place: Place) -> None:
    """Each commit has the layout of its own version."""
    place.publish("SELECT 1 AS a, 2 AS b", place.context(clustered_by=("a",)))
    assert place.detail()["clusteringColumns"] == ["a"]
    place.publish("SELECT 1 AS a, 2 AS b", place.context(partition_by=("b",)))
    assert place.detail()["clusteringColumns"] == []
    assert place.detail()["partitionColumns"] == ["b"]
    place.publish("SELECT 1 AS a, 2 AS b", place.context(clustered_by=("b",)))
    assert place.detail()["clusteringColumns"] == ["b"]
    assert place.detail()["partitionColumns"] == []


def test_what_a_query_cant_say_ends_with_a_warning(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """Constraints, generated and identity columns, defaults: as with Delta's own replace."""
    place.sql(
        "CREATE TABLE {t} (a INT, b INT GENERATED ALWAYS AS (a + 1), "
        "c BIGINT GENERATED ALWAYS AS IDENTITY) USING delta"
    )
    place.sql("INSERT INTO {t} (a) VALUES (1)")
    place.sql("ALTER TABLE {t} ADD CONSTRAINT positive CHECK (a > 0)")
    place.publish("SELECT -2 AS a, 3 AS b, 4L AS c")
    assert place.rows() == [(-2, 3, 4)]
    for what in ("constraint positive", "generated column b", "identity column c"):
        assert what in caplog.text
    place.sql("INSERT INTO {t} VALUES (-5, 0, 0)")
    assert len(place.rows()) == 2


def test_a_constraint_that_is_added_after_each_build_holds(place: Place) -> None:
    """As a model's post-hook does."""
    for value in (1, 2):
        place.publish(f"SELECT {value} AS a")
        place.sql("ALTER TABLE {t} ADD CONSTRAINT positive CHECK (a > 0)")
    with pytest.raises(Exception, match="positive"):
        place.sql("INSERT INTO {t} VALUES (-1)")


def test_a_protocol_is_never_downgraded(place: Place) -> None:
    """Other writers of the table may count on it; the rest is as Delta's own replace leaves it."""
    place.publish("SELECT 1 AS a", place.context(properties=VECTORS))
    place.publish("SELECT 2 AS a")
    features = place.detail()["tableFeatures"]
    assert isinstance(features, list)
    assert "deletionVectors" in features
    published = place.properties()
    place.sql("CREATE OR REPLACE TABLE {t} USING delta AS SELECT 2 AS a")
    assert place.properties() == published


@pytest.mark.parametrize(
    "key", [long("delta.enableChangeDataFeed"), "delta.enableInCommitTimestamps"]
)
def test_properties_that_need_a_newer_protocol(place: Place, key: str) -> None:
    """They come with one publication and go with the next."""
    place.publish("SELECT 1 AS a")
    place.publish("SELECT 2 AS a", place.context(properties={key: "true"}))
    assert place.properties()[key] == "true"
    place.publish("SELECT 3 AS a")
    assert place.rows() == [(3,)]
    assert place.properties().get(key, "false") == "false"


def test_column_types_that_need_a_newer_protocol(place: Place) -> None:
    """The staged table's protocol is what the table's becomes."""
    place.publish("SELECT 1 AS a")
    place.publish("SELECT timestamp_ntz'2020-01-01 00:00:00' AS t, parse_json('1') AS v")
    assert place.columns() == ["t", "v"]
    assert place.sql("SELECT CAST(v AS INT) FROM {t}") == [(1,)]


def test_an_append_only_table_is_refused_before_the_job(place: Place) -> None:
    """Its owner says what its rows are for."""
    place.sql(
        "CREATE TABLE {t} USING delta TBLPROPERTIES ('delta.appendOnly'='true') AS SELECT 1 AS a"
    )
    with pytest.raises(AtomicityNotSupportedError, match="must not be replaced"):
        place.begin()
    assert place.rows() == [(1,)]


def test_a_table_with_an_untried_feature_is_refused_before_the_job(place: Place) -> None:
    """By the feature's name."""
    place.sql(
        "CREATE TABLE {t} USING delta TBLPROPERTIES ('delta.enableRowTracking'='true') "
        "AS SELECT 1 AS a"
    )
    with pytest.raises(AtomicityNotSupportedError, match="rowTracking"):
        place.begin()
