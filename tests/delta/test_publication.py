"""What one run publishes over a Delta table, and what readers see of it."""

import threading

import pytest

from ctas_spark.context import StagingPurpose
from ctas_spark.delta.tables import DeltaTables
from ctas_spark.engines import jvm
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.version import Outcome
from delta.place import Place
from long import long

OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]
NEW = "SELECT CAST(id AS STRING) AS name, id * 1.5 AS price, 'x' AS day FROM range(2)"
NEW_ROWS = [("0", 0, "x"), ("1", 1.5, "x")]


def test_a_table_is_created(place: Place) -> None:
    """It is a whole Delta table in a version's directory; no property of ours is in its log."""
    staged = place.publish("SELECT id FROM range(2)", place.context(properties={"team": "a"}))
    assert place.rows() == [(0,), (1,)]
    assert staged.reach.strategy == "create"
    assert place.root().name == staged.version
    log = (place.root() / "_delta_log" / f"{0:020d}.json").read_text()
    assert "ctas_spark" not in log
    assert place.properties()["team"] == "a"


def test_a_commit_replaces_schema_partitions_and_properties_at_once(published: Place) -> None:
    """Readers see the old version until then; nothing of it is left after."""
    context = published.context(
        partition_by=("day",), properties={"mine": "yes"}, comment="a table"
    )
    staged = published.stage(NEW, context)
    assert published.rows() == OLD_ROWS
    assert len(published.history()) == 1
    staged.commit()
    staged.settle()
    assert published.rows() == NEW_ROWS
    assert published.columns() == ["name", "price", "day"]
    detail = published.detail()
    assert (detail["partitionColumns"], detail["description"]) == (["day"], "a table")
    assert published.properties() == {"mine": "yes"}
    assert published.history()[0] == (1, staged.version)
    assert staged.outcome is Outcome.COMMITTED
    assert staged.level.value == "isolated"
    assert published.stages() == []
    assert [name for name in published.staged() if staged.version in name] == []


def test_a_users_own_delta_table_is_published_over(place: Place) -> None:
    """A managed one, with its history and identity: it stays where it is."""
    place.sql("CREATE TABLE {t} USING delta AS SELECT 1 AS a")
    before = place.detail()
    staged = place.publish("SELECT 2 AS a, 3 AS b")
    after = place.detail()
    assert place.rows() == [(2, 3)]
    assert (after["id"], after["location"]) == (before["id"], before["location"])
    assert place.history() == [(1, staged.version), (0, "CREATE TABLE AS SELECT")]


def test_the_old_version_can_be_read_by_its_number(published: Place) -> None:
    """Its files stay until VACUUM takes them."""
    published.publish(NEW)
    assert published.rows(" VERSION AS OF 0") == OLD_ROWS


def test_an_abort_removes_exactly_its_directory(published: Place) -> None:
    """Nothing else in the table's directory changes, and no commit is made."""
    before = published.files(), published.history(), published.staged()
    staged = published.stage(NEW)
    assert published.stages() == [f"stg_{staged.version}"]
    staged.abort("test")
    assert (published.files(), published.history(), published.staged()) == before
    assert staged.left_behind == []
    assert not (published.root() / f"stg_{staged.version}").exists()


@pytest.mark.parametrize("there", [long("parquet"), "view", "orc of ours"])
def test_what_is_no_delta_table_is_replaced_by_one_call(place: Place, there: str) -> None:
    """And a parquet model takes the Delta table's place again."""
    if there == "parquet":
        place.sql("CREATE TABLE {t} USING parquet PARTITIONED BY (b) AS SELECT 1 AS a, 2 AS b")
    elif there == "view":
        place.sql("CREATE VIEW {t} AS SELECT 1 AS a")
    else:
        place.publish("SELECT 1 AS a", place.context(file_format="orc"))
    staged = place.publish("SELECT 2 AS b, 'x' AS day", place.context(partition_by=("day",)))
    assert place.rows() == [(2, "x")]
    assert staged.reach.reader_window == "none"
    place.publish("SELECT 4 AS d")
    place.publish("SELECT 3 AS c", place.context(file_format="parquet"))
    assert place.rows() == [(3,)]


def test_purposes_hold(published: Place) -> None:
    """No job where the purpose does not fit what is there."""
    with pytest.raises(TableAlreadyExistsError):
        published.begin(published.context(purpose=StagingPurpose.CREATE))
    kept = published.begin(published.context(purpose=StagingPurpose.CREATE_IF_NOT_EXISTS))
    assert kept.outcome is Outcome.KEPT
    published.sql("DROP TABLE {t}")
    with pytest.raises(NoSuchTableError):
        published.begin(published.context(purpose=StagingPurpose.REPLACE))


def test_what_was_not_tried_is_refused_before_the_job(published: Place) -> None:
    """By the name of the property."""
    context = published.context(properties={"delta.enableRowTracking": "true"})
    with pytest.raises(AtomicityNotSupportedError, match="enableRowTracking"):
        published.begin(context)


def test_delta_finds_the_session_in_any_thread(place: Place) -> None:
    """It asks the thread for its session when it reads more of a log than the last commit."""
    place.publish("SELECT 1 AS id")
    sessions = jvm.classes(place.spark).org.apache.spark.sql.SparkSession
    found = []

    def look() -> None:
        DeltaTables(place.spark).find(place.target)
        found.append(sessions.getActiveSession().isDefined())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [True]
