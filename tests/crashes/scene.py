"""One target, and the runs that come to it one after another."""

from collections.abc import Mapping
from dataclasses import replace

from contract.contents import LAYOUTS, Layout
from contract.subjects import Subject
from crashes.points import Act, Point, crash
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseFile
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules

AT_ONCE = RetentionRules(versions_to_keep=0, grace_ms=0, unknown_after_ms=0)
NO_SUCH_PID = 2**30


class Scene:
    """``before`` is a run that lives on; ``doomed`` is the one that is going to crash."""

    def __init__(self, before: Subject) -> None:
        self.before = before
        self._open = [before.run]
        self._ended: set[str] = set()
        self._kept: dict[str, Mapping[str, object]] = {}
        self.doomed = self.another()

    def another(self) -> Subject:
        """A new run for the same target."""
        run = self.before.place.open_run()
        self._open.append(run)
        return replace(self.before, run=run)

    def ends(self, subject: Subject) -> None:
        """The subject's run is over."""
        self._open.remove(subject.run)
        self._ended |= subject.place.leases_of(subject.run)
        subject.run.close()

    def strike(self) -> None:
        """Take the target's entries away: later clean-ups look at every table that there is."""
        self.before.place.forget(self.before.target)

    def close(self) -> None:
        """Every run is over."""
        for run in self._open:
            run.close()

    @property
    def other_keys(self) -> Layout:
        """A layout whose partition keys are not those of the target."""
        layout = self.before.layout
        return LAYOUTS["parquet" if layout.partition_by else "partitioned"]

    def plain(self, layout: Layout, number: int) -> None:
        """A user's own table, whose files stay or go as one."""
        subject = self.before
        subject.place.others.plain(subject.table, layout.name, number)
        directory = subject.existing().directory
        self._kept[directory] = subject.place.files(directory)

    def crashed(self, act: Act, subject: Subject, at: Point) -> None:
        """A run that ends at that point: its process is gone, and its lease is there."""
        crash(act, at)
        self.dies(subject)

    def dies(self, subject: Subject) -> None:
        """Its leases are left as the crash found them, where they were there."""
        place = subject.place
        own = place.leases_of(subject.run)
        found = {lease: text for lease, text in place.leases().items() if lease in own}
        self.ends(subject)
        for lease, text in found.items():
            gone = replace(ProcessIdentity.current(), pid=NO_SUCH_PID)
            place.write_lease(lease, replace(LeaseFile.parse(text), process=gone).to_text())

    def leases_left(self) -> set[str]:
        """Leases of runs that are over."""
        return self._ended.intersection(self.before.place.leases())

    def lost(self) -> list[str]:
        """Directories of users' own tables of which a part is gone, or changed."""
        place = self.before.place
        kept = self._kept.items()
        return [own for own, was in kept if place.files(own) and not self.before.keeps(own, was)]


def recover(subject: Subject) -> object:
    """The run-operation ctas_recover, without any patience."""
    return subject.catalog.recover(subject.context(), AT_ONCE)


def clean_up(subject: Subject) -> object:
    """The run-operation ctas_vacuum, without any patience."""
    return subject.catalog.clean_up(subject.context(), AT_ONCE)
