"""One target on one catalog, as the behaviours drive it and look at it."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any
from unittest.mock import patch

import pytest

from contract.contents import Content, Layout, Sight
from contract.places import Entry, Place, Run, tracks
from ctas_spark.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableName,
)
from ctas_spark.errors import CommitStateUnknownError, MetastoreError
from ctas_spark.publish.catalog import StagingCatalog
from ctas_spark.publish.staged_table import Plan, StagedTable
from ctas_spark.retention.rules import RetentionRules, Sweep
from ctas_spark.steps import Step, observe


@dataclass(slots=True)
class Attempt:
    """One version on its way; it has begun."""

    place: Place
    staged: StagedTable[Any]
    content: Content

    def ready(self) -> "Attempt":
        """Stage and verify."""
        self.place.stage(self.staged, self.content)
        self.staged.verify()
        return self

    def finish(self) -> "Attempt":
        """Commit, fill what level ``none`` left empty, settle."""
        self.staged.commit()
        if self.staged.level is Atomicity.NONE:
            self.place.fill(self.staged, self.content)
        self.staged.settle()
        return self


@dataclass(slots=True)
class Subject:
    """One target that no other test has, at one level, in one layout, for one purpose."""

    place: Place
    run: Run
    target: TableName
    purpose: StagingPurpose
    level: Atomicity
    layout: Layout

    @property
    def table(self) -> str:
        """The target's name for others."""
        return str(self.target)

    def content(self, number: int) -> Content:
        """One version of the target."""
        return Content(number, self.layout)

    def in_layout(self, layout: Layout) -> "Subject":
        """The same target, whose next versions have another layout."""
        return replace(self, layout=layout)

    def in_another_schema(self) -> "Subject":
        """A table of the same name, with the same staging schema."""
        return replace(self, target=replace(self.target, database=self.place.another_schema))

    @property
    def tracked(self) -> bool:
        """True if the metastore is to keep the partitions of what is published, by name."""
        return tracks(self.place.claim, self.level, self.layout)

    def context(self, number: int = 1, purpose: StagingPurpose | None = None) -> StagingContext:
        """What the subject's model asks for."""
        return self.content(number).context(
            self.target, self.place.staging_schema, purpose or self.purpose, self.level
        )

    @property
    def catalog(self) -> StagingCatalog:
        """The catalog of the run that serves the target."""
        return self.run.catalog_for(self.context())

    def plan(self, number: int, purpose: StagingPurpose | None = None) -> Plan:
        """What is going to be published."""
        asked = self.context(number, purpose)
        return self.run.catalog_for(asked).plan(asked, self.place.job())

    def begun(self, number: int, purpose: StagingPurpose | None = None) -> Attempt:
        """A version that is to be staged."""
        return Attempt(self.place, self.plan(number, purpose).begin(), self.content(number))

    def ready(self, number: int, purpose: StagingPurpose | None = None) -> Attempt:
        """A version that only has to be committed."""
        return self.begun(number, purpose).ready()

    def published(self, number: int) -> Attempt:
        """A version that stands in the target, whatever the subject's own purpose is."""
        return self.ready(number, StagingPurpose.CREATE_OR_REPLACE).finish()

    def rival(self, number: int, on_conflict: OnConflict = OnConflict.ABORT) -> str:
        """Another's version that only has to be committed; return its id."""
        asked = StagingPurpose.CREATE_OR_REPLACE.value, self.level.value, on_conflict.value
        return self.place.others.prepare(self.table, asked, self.layout.name, number)

    def entry(self) -> Entry | None:
        """The target's entry, from outside."""
        return self.place.entry(self.target)

    def existing(self) -> Entry:
        """The target's entry, which has to be there."""
        entry = self.entry()
        assert entry is not None, f"{self.table} is gone"
        return entry

    def sight(self) -> Sight | None:
        """What a reader outside sees now; None where there is no table."""
        entry = self.entry()
        if entry is None:
            return None
        return self._sight(entry, self.place.others.read(self.table))

    def _sight(self, entry: Entry, read: Mapping[str, Any]) -> Sight:
        return Sight(
            read["columns"],
            read["rows"],
            self.place.partitions(self.target, entry),
            entry.parameters.get("spark.sql.sources.provider"),
            entry.parameters.get("team"),
        )

    def clean_up(self, **rules: Any) -> Sweep:
        """A clean-up without any patience but for orphans, which have to be old."""
        wanted = {"versions_to_keep": 0, "grace_ms": 0, "orphan_age_ms": self.place.orphan_age_ms}
        context = self.context()
        wanted_rules = RetentionRules(**{**wanted, **rules})
        clean_up = self.catalog.clean_ups([(context, wanted_rules)])
        return clean_up(context, wanted_rules)

    def rival_cleans_up(self, **rules: Any) -> Sweep:
        """The same clean-up, by another invocation."""
        run = self.place.open_run()
        try:
            return replace(self, run=run).clean_up(**rules)
        finally:
            run.close()

    def left_of(self, attempt: Attempt) -> list[str]:
        """What there still is of a version: its files and its record."""
        records = [name for name in self.place.records() if attempt.staged.version in name]
        return [*self.place.files_of(attempt.staged), *records]

    def keeps(self, directory: str, files: Mapping[str, object]) -> bool:
        """True if all files are as they were; besides them a format may have staged some there."""
        now = self.place.files(directory)
        if self.place.claim.native_format is None:
            return now == files
        return files.items() <= now.items()

    def sent(self, attempt: Attempt) -> Callable[[], None]:
        """Send the call that replaces a format's table; its answer is lost.

        Returns:
            lets the call land.
        """
        name = self.place.claim.replaces_by
        owner = next(owner for owner, call in self.place.calls(self.run) if call == name)
        call, sent = getattr(owner, name), list[Callable[[], None]]()

        def lose(*arguments: Any) -> None:
            sent.append(partial(call, *arguments))
            raise MetastoreError("the answer was lost")

        with patch.object(owner, name, lose), pytest.raises(CommitStateUnknownError):
            attempt.staged.commit()
        (lands,) = sent
        return lands

    @contextmanager
    def moments(self) -> Iterator[list[Sight | None]]:
        """What a reader sees just before and just after each of our calls that change something."""
        seen: list[Sight | None] = []
        with self.around_calls(lambda _call: seen.append(self.sight())):
            yield seen

    @contextmanager
    def around_calls(self, look: Callable[[str], None]) -> Iterator[None]:
        """Call ``look`` just before and just after each of our calls that change something."""
        with ExitStack() as stack:
            for owner, name in self.place.calls(self.run):
                wrapped = _looking(name, getattr(owner, name), look)
                stack.enter_context(patch.object(owner, name, wrapped))
            yield


@contextmanager
def meanwhile(step: Step, act: Callable[[], object]) -> Iterator[None]:
    """Do something once, as soon as the block enters a step."""
    with observe(_Once(step, act)):
        yield


class _Once:
    """Acts as the first one of a step begins."""

    def __init__(self, step: Step, act: Callable[[], object]) -> None:
        self._step: Step | None = step
        self._act = act

    def entered(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (the seam's shape)
        if step is self._step:
            self._step = None
            self._act()

    def left(self, step: Step, target: TableName) -> None:
        """Nothing."""


def changes(seen: Sequence[Sight | None]) -> list[Sight | None]:
    """What was seen, each sight once for as long as it lasted."""
    return [sight for sight, _ in groupby(seen)]


def _looking(
    name: str, call: Callable[..., None], look: Callable[[str], None]
) -> Callable[..., None]:
    ours = threading.get_ident()

    def looked(*arguments: Any) -> None:
        is_ours = threading.get_ident() == ours
        if is_ours:
            look(f"before {name}")
        call(*arguments)
        if is_ours:
            look(f"after {name}")

    return looked


@contextmanager
def logged() -> Iterator[list[str]]:
    """What the product logs while the block runs."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("ctas_spark")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)
