"""A table whose files lie where its own FileIO alone finds them, as with Iceberg's S3FileIO."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from ctas_spark.errors import StagedVersionIncompleteError
from ctas_spark.iceberg.file_io import FileIoStorage
from ctas_spark.iceberg.tables import IcebergTables
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules
from formats.run_place import open_run
from other_catalogs.place import NEW, NEW_ROWS, OLD, Place

_names = iter(range(1_000))


@pytest.fixture
def stored(spark: SparkSession) -> Iterator[Place]:
    """A schema of its own in the object store."""
    place = Place.new(spark, "stored", f"stored_{next(_names)}", open_run(spark))
    yield place
    place.close()


def _storage(place: Place) -> FileIoStorage:
    found = IcebergTables(place.spark, place.catalog).find(place.target)
    assert found is not None
    return found.storage


def _files(place: Place) -> set[str]:
    return {one.path for one in _storage(place).files(f"stored://lake/{place.schema}")}


def test_a_table_is_created_and_rebuilt_there(stored: Place) -> None:
    """With other rows and with other columns; the staged metadata that nobody needs is gone."""
    for query in (OLD, OLD, NEW):
        staged = stored.publish(query)
        assert staged.outcome is Outcome.COMMITTED
    assert stored.rows() == NEW_ROWS
    assert stored.staged() == []
    assert not [path for path in _files(stored) if ".clock" in path]


def test_an_abort_removes_what_was_staged_there(stored: Place) -> None:
    """The data and the metadata of a fork."""
    stored.publish(OLD)
    before = _files(stored)
    staged = stored.stage(NEW)
    assert _files(stored) > before
    staged.abort("a check failed")
    assert _files(stored) == before


def test_what_a_dead_run_has_left_there_goes_when_it_is_old(stored: Place) -> None:
    """Once another version is published, it can't land any more."""
    stored.publish(OLD)
    dead = stored.stage(NEW)
    stored.publish(OLD)
    assert stored.staging.clean_up(stored.context(), RetentionRules()).freed == []
    stored.staging.clean_up(stored.context(), RetentionRules(orphan_age_ms=0))
    assert stored.staged() == []
    assert not [path for path in _files(stored) if dead.version in path]


def test_a_file_that_vanished_there_fails_the_model(stored: Place) -> None:
    """Before anything is published."""
    stored.publish(OLD)
    staged = stored.begin()
    stored.spark.sql(staged.statement(NEW))
    storage = _storage(stored)
    (written,) = (path for path in _files(stored) if staged.version in path and ".parquet" in path)
    storage.delete(written)
    with pytest.raises(StagedVersionIncompleteError, match="of its 1 files are in stored://lake"):
        staged.verify()
