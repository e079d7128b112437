"""Ways to break the protocol that a search through the lives of a table has to find."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ctas_spark.files import (
    chain,
    directories,
    follow_up,
    garbage,
    places,
    publication,
    record,
    showing,
    took_over,
    version,
)
from ctas_spark.files.base import PARTITION_PROVIDER
from ctas_spark.files.record import Record
from ctas_spark.files.table import FileTable
from ctas_spark.metastore.client import EntryChange
from ctas_spark.publish.version import Outcome

LONGER_THAN_ANY_GRACE_MS = 10**12

Sabotage = Callable[[pytest.MonkeyPatch], None]


def the_target_is_not_looked_at_again(patch: pytest.MonkeyPatch) -> None:
    """A clean-up goes by what it saw before it took the record."""
    patch.setattr(showing.Showing, "of", lambda *_facts: {})


def no_clone_is_looked_for(patch: pytest.MonkeyPatch) -> None:
    """A clean-up does not look for other tables that show the version."""
    patch.setattr(showing.Showing, "_others", lambda *_facts: ())
    patch.setattr(places.Places, "of", lambda *_facts: places.Places())


def a_search_outlives_what_is_taken(patch: pytest.MonkeyPatch) -> None:
    """A vacuum goes by what it had found before it took the record."""
    patch.setattr(places.PlaceSearch, "forget", lambda _search: None)


def age_alone_decides(patch: pytest.MonkeyPatch) -> None:
    """A clean-up does not ask whether a writer may still publish what it deletes."""
    patch.setattr(garbage.FileGarbage, "may_land", lambda *_facts: False)
    patch.setattr(showing.Showing, "_lets_land", lambda *_facts: False)


def ages_are_not_looked_at(patch: pytest.MonkeyPatch) -> None:
    """A clean-up takes everything for old."""
    patch.setattr(garbage.FileGarbage, "age_ms", lambda *_facts: LONGER_THAN_ANY_GRACE_MS)


def foreign_records_are_trusted(patch: pytest.MonkeyPatch) -> None:
    """A clean-up goes wherever a record leads, whichever staging schema made it."""
    patch.setattr(directories.VersionRoots, "owns", lambda *_facts: True)


def record_moved_blindly(patch: pytest.MonkeyPatch) -> None:
    """A record is written whatever it is by now."""

    def move(table: FileTable, wanted: Record, expected: Record, held: object = None) -> Record:
        assert table.services.conditional or held
        now = expected.entry
        assert now is not None
        parameters = {**now.parameters, **wanted.to_parameters()}
        table.metastore.alter_table(EntryChange(now.name, now, now, parameters), None)
        return replace(wanted, entry=replace(now, parameters=parameters))

    patch.setattr(record, "move", move)


def superseded_for_long(patch: pytest.MonkeyPatch) -> None:
    """A version is deleted as soon as it is replaced: its grace is taken to be over."""
    patch.setattr(garbage.FileGarbage, "left_for_ms", lambda *_facts: LONGER_THAN_ANY_GRACE_MS)


def any_publication_begins_the_grace(patch: pytest.MonkeyPatch) -> None:
    """Whichever is known, and when: also one that the version itself replaced."""

    def left_ms(found: chain.Chain, _record: Record) -> int | None:
        return min((one.by_ms for one in (*found.lineage, *found.named)), default=None)

    patch.setattr(chain.Chain, "left_ms", left_ms)


def files_are_not_counted(patch: pytest.MonkeyPatch) -> None:
    """What is published is not looked at once more."""
    patch.setattr(version, "what_is_wrong", lambda *_facts: "")


def inserts_are_not_looked_for(patch: pytest.MonkeyPatch) -> None:
    """A version of old rows is published whatever came to the table since."""
    patch.setattr(version.FileVersion, "hold_old_rows", lambda _version: None)


def swept_creations_stay(patch: pytest.MonkeyPatch) -> None:
    """A writer that has created its target does not look whether its version is still there."""
    patch.setattr(publication.MetastoreCall, "_is_swept", lambda _call: False)


def an_error_means_not_committed(patch: pytest.MonkeyPatch) -> None:
    """The outcome is what the call says."""

    def decide(*facts: Any) -> Outcome:
        return Outcome.NOT_COMMITTED if facts[-1] else Outcome.COMMITTED

    patch.setattr(version.FileVersion, "decide", decide)


def partitions_tracked_by_the_swap(patch: pytest.MonkeyPatch) -> None:
    """Spark asks for partitions while those of the version before are kept."""
    change = publication.MetastoreCall.change

    def tracked(call: publication.MetastoreCall) -> EntryChange:
        ours = change(call)
        if ours.staged.partition_keys:
            ours.parameters[PARTITION_PROVIDER] = "catalog"
        return ours

    patch.setattr(publication.MetastoreCall, "change", tracked)


def columns_stay_unfilled(patch: pytest.MonkeyPatch) -> None:
    """Nobody makes the second call, for the columns that other engines read."""
    patch.setattr(version, "fill_columns", lambda _table: None)
    patch.setattr(follow_up, "fill_columns", lambda _table: None)


def a_managed_tables_files_go_unseen(patch: pytest.MonkeyPatch) -> None:
    """A clean-up does not look who else lies where a managed table lay that was replaced."""
    patch.setattr(took_over.TookOver, "_reason_to_stay", lambda *_facts: None)


def a_managed_tables_files_go_at_once(patch: pytest.MonkeyPatch) -> None:
    """A clean-up does not wait for the readers of a managed table that was replaced."""
    patch.setattr(took_over.TookOver, "_is_past_grace", lambda *_facts: True)
