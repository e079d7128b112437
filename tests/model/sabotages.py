"""Ways to break the protocol that a search through the lives of a table has to find."""

from collections.abc import Callable

import pytest
from dbt.adapters.ctas_spark.staging.files.records import NO_MORE, STATE
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseState

from dbt.adapters.ctas_spark.staging.files import publication, records, sweeper, taken_over
from dbt.adapters.ctas_spark.staging.files.publication import Publication
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, MetastoreClient
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish import outcome
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.retention import lease_file
from dbt.adapters.ctas_spark.staging.retention import rules as retention

LONGER_THAN_ANY_GRACE_MS = 10**10

Sabotage = Callable[[pytest.MonkeyPatch], None]


def no_reference_check(patch: pytest.MonkeyPatch) -> None:
    """A clean-up does not look for tables that show the version."""
    patch.setattr(sweeper.Sweeper, "_is_referenced", lambda *_facts: False)


def no_fence(patch: pytest.MonkeyPatch) -> None:
    """A clean-up leaves the target as a sleeping writer expects it."""
    patch.setattr(sweeper, "fence", lambda *_facts, **_named: True)


def record_moved_blindly(patch: pytest.MonkeyPatch) -> None:
    """A record's state is written whatever it is by now."""

    def move(
        metastore: MetastoreClient,
        record: TableEntry,
        state: str,
        **facts: object,
    ) -> None:
        also = facts.get("also", NO_MORE)
        parameters = {**record.parameters, **also, STATE: state}  # type: ignore[dict-item]
        metastore.alter_table(EntryChange(record.name, record, record, parameters), None)

    patch.setattr(records, "move", move)


def superseded_for_long(patch: pytest.MonkeyPatch) -> None:
    """A version is deleted as soon as it is replaced: its grace is taken to be over."""
    patch.setattr(sweeper.Sweeper, "_superseded_for", lambda *_facts: LONGER_THAN_ANY_GRACE_MS)


def leases_are_not_looked_at(patch: pytest.MonkeyPatch) -> None:
    """A clean-up takes every other run for dead."""
    patch.setattr(lease_file, "state_of", lambda *_facts: LeaseState.ENDED)


def an_error_means_not_committed(patch: pytest.MonkeyPatch) -> None:
    """The outcome is what the call says."""

    def decide(
        _after: TableEntry | None, _publication: Publication, failure: Exception | None
    ) -> Outcome:
        return Outcome.NOT_COMMITTED if failure else Outcome.COMMITTED

    patch.setattr(outcome, "decide", decide)


def partitions_tracked_by_the_swap(patch: pytest.MonkeyPatch) -> None:
    """Spark asks for partitions while those of the version before are kept."""
    build = publication.build

    def tracked(**facts: object) -> Publication:
        ours = build(**facts)  # type: ignore[arg-type]
        if ours.staged.partition_keys:
            ours.change.parameters[publication.PARTITION_PROVIDER] = "catalog"
        return ours

    patch.setattr(publication, "build", tracked)


def a_managed_tables_files_go_unseen(patch: pytest.MonkeyPatch) -> None:
    """A clean-up does not look who else lies where a managed table lay that was replaced."""
    patch.setattr(taken_over.TakenOver, "_reason_to_leave", lambda *_facts: None)


def a_managed_tables_files_go_at_once(patch: pytest.MonkeyPatch) -> None:
    """A clean-up does not wait for the readers of a managed table that was replaced."""
    patch.setattr(taken_over.TakenOver, "_is_past_grace", lambda *_facts: True)


def creations_are_not_waited_for(patch: pytest.MonkeyPatch) -> None:
    """A clean-up deletes what a dead run may still be creating."""
    patch.setattr(retention, "may_create", lambda _version: False)
