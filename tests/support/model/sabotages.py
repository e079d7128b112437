"""Ways to break the protocol that a search through the lives of a table has to find."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dbt.adapters.ctas_spark.staging.files import (
    directories,
    follow_up,
    garbage,
    publication,
    record,
    took_over,
    version,
    versions,
)
from dbt.adapters.ctas_spark.staging.files.base import PARTITION_PROVIDER
from dbt.adapters.ctas_spark.staging.files.record import Record
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, MetastoreClient
from dbt.adapters.ctas_spark.staging.publish.version import Outcome

LONGER_THAN_ANY_GRACE_MS = 10**12

Sabotage = Callable[[pytest.MonkeyPatch], None]


def the_target_is_not_looked_at_again(patch: pytest.MonkeyPatch) -> None:
    """A clean-up goes by what it saw before it took the record."""
    patch.setattr(versions.References, "reason", lambda *_facts: None)


def no_clone_is_looked_for(patch: pytest.MonkeyPatch) -> None:
    """A clean-up does not look for other tables that show the version."""
    patch.setattr(versions.References, "_has_clone", lambda *_facts: False)


def age_alone_decides(patch: pytest.MonkeyPatch) -> None:
    """A clean-up does not ask whether a writer may still publish what it deletes."""
    patch.setattr(garbage.FileGarbage, "may_land", lambda *_facts: False)


def ages_are_not_looked_at(patch: pytest.MonkeyPatch) -> None:
    """A clean-up takes everything for old."""
    patch.setattr(garbage.FileGarbage, "age_ms", lambda *_facts: LONGER_THAN_ANY_GRACE_MS)


def foreign_records_are_trusted(patch: pytest.MonkeyPatch) -> None:
    """A clean-up goes wherever a record leads, whichever staging schema made it."""
    patch.setattr(directories.VersionRoots, "owns", lambda *_facts: True)


def record_moved_blindly(patch: pytest.MonkeyPatch) -> None:
    """A record is written whatever it is by now."""

    def move(
        metastore: MetastoreClient, wanted: Record, expected: Record, *, conditional: bool
    ) -> Record:
        assert conditional
        now = expected.entry
        assert now is not None
        parameters = {**now.parameters, **wanted.to_parameters()}
        metastore.alter_table(EntryChange(now.name, now, now, parameters), None)
        return replace(wanted, entry=replace(now, parameters=parameters))

    patch.setattr(record, "move", move)


def superseded_for_long(patch: pytest.MonkeyPatch) -> None:
    """A version is deleted as soon as it is replaced: its grace is taken to be over."""
    long = LONGER_THAN_ANY_GRACE_MS
    patch.setattr(garbage.FileGarbage, "superseded_for_ms", lambda *_facts, **_named: long)


def any_note_begins_the_grace(patch: pytest.MonkeyPatch) -> None:
    """Whatever publication was noted, and when: also one that the version itself replaced."""

    def followed_ms(found: garbage.FileGarbage, _version: object) -> int | None:
        records = found._found.values()  # noqa: SLF001 (a sabotage looks behind the machine)
        return min((one.published_ms for one in records if one.published_ms), default=None)

    patch.setattr(garbage.FileGarbage, "_followed_ms", followed_ms)


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
