"""The two-phase commit of one table, whatever kind of catalog holds it (FLIP-305)."""

from collections.abc import Mapping
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome


class CommitWay(Protocol):
    """How a staged table is published, as logs and run results name it."""

    @property
    def name(self) -> str:
        """The strategy's name."""

    @property
    def reader_window(self) -> str:
        """What a reader may meet meanwhile: ``none``, or ``absent``."""


class StagedTable(Protocol):
    """One attempt to publish one table.

    The calls come in this order: ``begin``, ``statement`` (the caller runs it), ``verify``,
    ``commit``, ``settle``; ``abort`` instead of the rest at any moment. ``outcome`` is None until
    the attempt is decided.
    """

    @property
    def context(self) -> StagingContext:
        """What was asked for."""

    @property
    def target(self) -> TableName:
        """The table to publish."""

    @property
    def level(self) -> Atomicity:
        """The level that is kept; ``begin`` and ``commit`` may lower it, and say so."""

    @property
    def outcome(self) -> Outcome | None:
        """What became of the attempt."""

    @property
    def version(self) -> str:
        """The version's id."""

    @property
    def strategy(self) -> CommitWay:
        """How it is published."""

    @property
    def base_version(self) -> str | None:
        """The version of ours that stands in the target since before ``begin``, if one does."""

    @property
    def unchanged(self) -> str:
        """What the target is while nothing was published, as the end of a sentence."""

    @property
    def partition_metadata(self) -> str | None:
        """Who knows the version's partitions; None if it has none."""

    @property
    def left_behind(self) -> list[str]:
        """What an abort could not remove."""

    def begin(self) -> None:
        """Look at the target and take it as the base."""

    def statement(self, query: str) -> str:
        """The statement that stages the version; no reader of the target sees its effect."""

    def fill_statement(self, query: str) -> str:
        """The statement that fills a published empty version in place (level ``none`` only)."""

    def verify(self) -> TableName:
        """The job has ended; checks run against the table that this returns."""

    def commit(self) -> None:
        """Publish the staged version, conditional on the base."""

    def settle(self) -> None:
        """Make this session's own later statements see the version."""

    def note(self, facts: Mapping[str, str]) -> None:
        """Keep facts of the version for the history."""

    def abort(self, reason: str) -> None:
        """Stop the job and remove the version. Idempotent; never raises; nothing if decided."""
