"""An Iceberg target at one moment, and what became of it since then."""

from dataclasses import dataclass

from ..context import TableName
from ..errors import MetastoreError
from ..publish import messages
from ..publish import version as outcome
from ..publish.marker import PublicationKind, SnapshotMarker, new_commit_id
from ..publish.version import Change, Outcome
from .facts import Rules, TableFacts
from .loaded import LoadedTable, NotIcebergError
from .tables import IcebergTables

ABSENT = "absent"
WRITERS = ("engine-name", "spark.app.id", "app-name")


@dataclass(frozen=True, slots=True)
class IcebergBase:
    """The table, or what is there instead of one, or nothing.

    A view that dbt clone has made counts as nothing: it goes just before the table is created.
    """

    table: LoadedTable | None
    obstacle: str = ""
    is_clone: bool = False
    can_be_replaced = False  # no commit of Iceberg's replaces another format's table, or a view

    @property
    def exists(self) -> bool:
        return self.table is not None or bool(self.obstacle)

    @property
    def facts(self) -> TableFacts | None:
        """What its metadata says."""
        return self.table.facts if self.table else None

    @property
    def marker(self) -> SnapshotMarker | None:
        """The publication of ours that it comes from."""
        return self.facts.marker if self.facts else None

    @property
    def version(self) -> str | None:
        return (self.marker.version or None) if self.marker else None

    @property
    def level(self) -> str | None:
        return (self.marker.level or None) if self.marker else None

    @property
    def commit(self) -> str:
        """The commit id of that publication, or empty."""
        return self.marker.commit if self.marker else ""

    def next_marker(
        self, rules: Rules, kind: PublicationKind, time_ms: int, **said: str
    ) -> SnapshotMarker:
        """Of a commit over this; ``rules`` are the table's from then on."""
        return SnapshotMarker(
            **said,
            commit=new_commit_id(time_ms, said["version"]),
            base=self.commit,
            kind=kind,
            time_ms=time_ms,
            spec_id=rules.spec,
            sort_order_id=rules.sort_order,
        )

    def __str__(self) -> str:
        """As a version's record keeps it; ``ExpectedBase.parse`` reads it."""
        if self.facts is None:
            return ABSENT
        return f"{self.facts.uuid} {self.facts.main} {self.facts.metadata_location}"


@dataclass(frozen=True, slots=True)
class ExpectedBase:
    """The table that a version's commit call is conditional on, out of the version's record."""

    uuid: str
    main: int | None
    metadata_location: str

    @classmethod
    def parse(cls, text: str) -> "ExpectedBase | None":
        """None for a creation; MetastoreError if the text is not a base."""
        if text == ABSENT:
            return None
        try:
            uuid, main, metadata_location = text.split(" ", 2)
            return cls(uuid, None if main == str(None) else int(main), metadata_location)
        except ValueError as error:
            raise MetastoreError(f"a record names a base that can't be read: {text!r}") from error

    def is_shown_by(self, table: TableFacts | None) -> bool:
        """True if a call that expects this base may land on the table.

        A REST server compares the snapshot of ``main``, other catalogs the metadata file.
        """
        if table is None or table.uuid != self.uuid:
            return False
        return table.main == self.main or table.metadata_location == self.metadata_location


def look(tables: IcebergTables, name: TableName) -> IcebergBase:
    """Read the target afresh; MetastoreError if it could not be found out what is there."""
    try:
        table = tables.find(name)
    except NotIcebergError:
        return _instead(tables, name, "a table or view that is not Iceberg's")
    if table is None and tables.has_view(name):
        return _instead(tables, name, "a view")
    return IcebergBase(table)


def _instead(tables: IcebergTables, name: TableName, what: str) -> IcebergBase:
    is_clone = tables.is_clone(name)
    return IcebergBase(None, "" if is_clone else what, is_clone)


def change_between(begun: IcebergBase, now: IcebergBase) -> Change:
    """What became of the target; a branch, even our own, changes nothing of it."""
    if begun.facts is None:
        return Change.CREATED if now.exists else Change.NONE
    if now.facts is None:
        return Change.WRITTEN if now.exists else Change.DROPPED
    if not now.facts.is_maintained(begun.facts):
        return Change.WRITTEN
    return Change.NONE if begun.facts.main == now.facts.main else Change.MAINTAINED


def who_changed(begun: IcebergBase, now: IcebergBase) -> str:
    """The version that was committed, or what the snapshot says of its writer."""
    if now.facts is None:
        return now.obstacle or "it was dropped"
    found = now.marker
    if found is not None and found.commit != begun.commit:
        return f"version {found.version} was committed at {messages.moment(found.time_ms)}"
    if begun.facts is not None and begun.facts.uuid != now.facts.uuid:
        return f"it was dropped and created again {_last_commit(now.facts)}"
    if begun.facts is not None and begun.facts.main == now.facts.main:
        return "another program changed its schema or properties"
    return f"another program committed {_last_commit(now.facts)}"


def decide(
    over: IcebergBase, after: IcebergBase, commit: str, failure: MetastoreError | None
) -> Outcome:
    """The outcome, by the target's own history: an OK alone proves nothing.

    A catalog may have taken the commit for one that changes nothing.
    """
    ours = after.facts is not None and after.facts.has_commit(commit)
    return outcome.decide(failure, shows_ours=ours, can_not_land=_has_left(over, after))


def _has_left(over: IcebergBase, after: IcebergBase) -> bool:
    """True if others committed on top, and all their commits are to be seen: ours is stale then.

    A table of another identity, or whose history lost our base or a commit since, proves nothing.
    """
    if over.facts is None or after.facts is None or over.facts.uuid != after.facts.uuid:
        return False
    known = over.facts.main is None or over.facts.main in after.facts.snapshots
    whole = after.facts.has_all_since(over.facts.last_sequence_number)
    return known and whole and over.facts.main != after.facts.main


def _last_commit(table: TableFacts) -> str:
    snapshot = table.snapshots.get(table.main) if table.main is not None else None
    if snapshot is None:
        return "(no data yet)"
    writer = " ".join(snapshot.summary[key] for key in WRITERS if key in snapshot.summary)
    when = messages.moment(snapshot.time_ms)
    return f"({snapshot.operation} {snapshot.id} at {when} by {writer or 'unknown'})"
