"""Creations of an Iceberg table that a clean-up comes between."""

from collections.abc import Callable

import pytest

from ctas_spark.context import TableName
from ctas_spark.errors import (
    CommitStateUnknownError,
    StagingError,
)
from ctas_spark.iceberg.tables import IcebergTables
from ctas_spark.retention.rules import RetentionRules
from iceberg.place import Place

OLD = "SELECT id, 'old' AS name FROM range(3)"
OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]
AT_ONCE = RetentionRules(orphan_age_ms=0)


def once_registered(patch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something once, as soon as the creation's call has had its effect."""
    register = IcebergTables.register

    def registered(self: IcebergTables, name: TableName, metadata_location: str) -> None:
        register(self, name, metadata_location)
        patch.setattr(IcebergTables, "register", register)
        act()

    patch.setattr(IcebergTables, "register", registered)


def take(place: Place, staged_as: str) -> None:
    """A clean-up has taken the version's record."""
    fork = f"{place.catalog}.{place.staging_schema}.{staged_as}"
    place.spark.sql(f"ALTER TABLE {fork} SET TBLPROPERTIES ('ctas_spark_state' = 'deleting')")


def test_a_creation_that_is_swept_before_its_call_leaves_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clean-up of everything comes between its check and its call."""
    staged = place.stage(OLD)
    register = IcebergTables.register

    def registered(self: IcebergTables, name: TableName, metadata_location: str) -> None:
        monkeypatch.setattr(IcebergTables, "register", register)
        assert len(place.staging.clean_up(place.context(), AT_ONCE).freed) == 1
        register(self, name, metadata_location)

    monkeypatch.setattr(IcebergTables, "register", registered)
    with pytest.raises(StagingError):
        staged.commit()
    staged.abort("failed")
    assert not place.spark.catalog.tableExists(place.table)
    assert place.staged() == []


def test_a_creation_that_was_swept_in_its_sleep_leaves_no_entry(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at its fork again after it has created the table, and takes that back."""
    staged = place.stage(OLD)
    (record,) = place.staged()
    once_registered(monkeypatch, lambda: take(place, record))
    with pytest.raises(StagingError, match="a clean-up deleted"):
        staged.commit()
    staged.abort("failed")
    assert not place.spark.catalog.tableExists(place.table)
    assert (place.files(), place.staged()) == (set(), [])


@pytest.mark.parametrize("statement", ["INSERT INTO {} VALUES (7, 'user')", "no write"])
def test_a_creation_that_stalls_after_its_call_keeps_its_table(
    place: Place, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    """Another's clean-up removes the published version's record before its writer looks at it."""
    staged = place.stage(OLD)

    def another_comes_by() -> None:
        if statement != "no write":
            place.spark.sql(statement.format(place.table))
        place.another_run().staging.clean_up(place.context(), AT_ONCE)

    once_registered(monkeypatch, another_comes_by)
    staged.commit()
    staged.settle()
    assert place.staged() == []
    assert len(place.rows()) == 3 + (statement != "no write")


def test_a_swept_creation_is_withdrawn_unless_another_has_written_to_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Theirs is left for people to look at, and the model says that it does not know."""
    staged = place.stage(OLD)
    (record,) = place.staged()

    def another_writes() -> None:
        place.spark.sql(f"ALTER TABLE {place.table} SET TBLPROPERTIES ('theirs' = 'yes')")
        take(place, record)

    once_registered(monkeypatch, another_writes)
    with pytest.raises(CommitStateUnknownError, match="another writer has changed"):
        staged.commit()
    assert place.properties()["theirs"] == "yes"
    assert place.rows() == OLD_ROWS
