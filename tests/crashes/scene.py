"""One target, and the runs that come to it one after another."""

from collections.abc import Mapping
from dataclasses import replace

from contract.contents import LAYOUTS, Layout
from contract.subjects import Subject
from crashes.points import Act, Point, crash
from dbt.adapters.ctas_spark.staging.catalogs.session_catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.lease_file import LeaseFile
from dbt.adapters.ctas_spark.staging.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.retention import RetentionRules
from dbt.adapters.ctas_spark.staging.version_root import version_root

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
        self._ended.add(subject.run.lease.id)
        subject.run.close()

    def strike(self) -> None:
        """Take the target's entries away: later clean-ups look at every table that there is."""
        place, target = self.before.place, self.before.target
        metastore = self.before.run.metastore
        own = (name for name in place.records() if name.startswith(f"{target.table}__"))
        for name in (target, *(TableName(place.staging_schema, record) for record in own)):
            if metastore.get_table(name) is not None:
                metastore.drop_entry(name)

    def close(self) -> None:
        """Every run is over."""
        for run in self._open:
            run.close()

    @property
    def other_keys(self) -> Layout:
        """A layout whose partition keys are not those of the target."""
        return LAYOUTS["parquet" if self.before.layout.partition_by else "partitioned"]

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
        """Its lease is left as the crash found it, if it was there."""
        services = catalog(subject).services(subject.place.staging_schema)
        leases = version_root(services.metastore, context(subject)).leases
        lease = subject.run.lease
        was_there = services.storage.exists(f"{leases}/{lease.id}")
        self.ends(subject)
        if was_there:
            gone = replace(ProcessIdentity.current(), pid=NO_SUCH_PID)
            text = LeaseFile(lease.id, gone, lease.catalog).to_text()
            services.storage.write(f"{leases}/{lease.id}", text)

    def leases_left(self) -> set[str]:
        """Leases of runs that are over."""
        return self._ended.intersection(self.before.place.leases())

    def lost(self) -> list[str]:
        """Directories of users' own tables of which a part is gone, or changed."""
        files = self.before.place.files
        return [place for place, was in self._kept.items() if files(place) not in ({}, was)]


def catalog(subject: Subject) -> SessionCatalog:
    """The run's catalog, with the run-operations."""
    opened = subject.run.catalog
    assert isinstance(opened, SessionCatalog)
    return opened


def context(subject: Subject, number: int = 1) -> StagingContext:
    """What the subject's model asks for."""
    place = subject.place
    content = subject.content(number)
    return content.context(subject.target, place.staging_schema, subject.purpose, subject.level)


def recover(subject: Subject) -> object:
    """The run-operation ctas_recover, without any patience."""
    return catalog(subject).recover(context(subject), AT_ONCE)


def clean_up(subject: Subject) -> object:
    """The run-operation ctas_vacuum, without any patience."""
    return catalog(subject).clean_up(context(subject), AT_ONCE)
