"""A REST server that refuses a second table on one location: a version is a copy elsewhere."""

import pytest

from ctas_spark.errors import ConcurrentWriteError, RefusedError
from ctas_spark.iceberg.tables import IcebergTables
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules
from iceberg.place import Place

OLD = "SELECT id, 'old' AS name FROM range(3)"
NEW = "SELECT id, id * 1.5 AS price FROM range(2)"
OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]


def test_control_the_server_refuses_a_second_name(strict: Place) -> None:
    """Or these tests would try nothing."""
    strict.publish(OLD)
    tables = IcebergTables(strict.spark, strict.catalog)
    found = tables.find(strict.target)
    assert found is not None
    with pytest.raises(RefusedError, match="lies where"):
        tables.register(strict.another_name(), found.facts.metadata_location)


def test_a_table_is_created_replaced_and_rolled_back(strict: Place) -> None:
    """At the place that a table of that name has; nothing staged is left."""
    strict.publish(OLD)
    place = strict.facts().location
    assert place.endswith(f"/{strict.schema}/t")
    files = strict.files()
    staged = strict.stage(NEW, strict.context(partition_by=("bucket(2, id)",)))
    assert strict.rows() == OLD_ROWS
    staged.commit()
    staged.settle()
    assert (strict.columns(), len(strict.rows())) == (["id", "price"], 2)
    assert (strict.facts().location, strict.staged()) == (place, [])
    assert strict.files() > files
    strict.staging.roll_back(strict.context())
    assert (strict.rows(), strict.facts().location, strict.staged()) == (OLD_ROWS, place, [])


def test_an_abort_removes_the_copy_too(strict: Place) -> None:
    """Files and entry; the table has what it had."""
    strict.publish(OLD)
    before = strict.files()
    staged = strict.stage(NEW)
    staged.abort("a check failed")
    assert (strict.files(), strict.staged(), staged.left_behind) == (before, [], [])
    assert strict.rows() == OLD_ROWS


def test_an_orphan_is_removed(strict: Place) -> None:
    """Its entry leads to its files, wherever it says that it lies."""
    strict.publish(OLD)
    lost = strict.stage(NEW)
    strict.publish(OLD)
    strict.staging.clean_up(strict.context(), RetentionRules(orphan_age_ms=0))
    assert (strict.files_of(lost.version), strict.staged(), strict.rows()) == (set(), [], OLD_ROWS)


def test_a_rival_wins(strict: Place) -> None:
    """Over a table that is there, and at its creation."""
    first, second = strict.stage(OLD), strict.stage(NEW)
    first.commit()
    with pytest.raises(ConcurrentWriteError):
        second.commit()
    second.abort("refused")
    staged = strict.stage(NEW)
    strict.spark.sql(f"INSERT INTO {strict.table} VALUES (9, 'theirs')")
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("refused")
    assert (first.outcome, second.outcome) == (Outcome.COMMITTED, Outcome.NOT_COMMITTED)
    assert strict.rows() == [*OLD_ROWS, (9, "theirs")]
