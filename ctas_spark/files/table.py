"""One table of files, and the services that a run works on it with."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..clock import SYSTEM_CLOCK, Clock, ReadClock
from ..context import StagingContext, TableName
from ..engines.protocol import Engine
from ..metastore.client import MetastoreClient
from ..publish.catalog import Capabilities, ConflictCheck
from ..publish.locks import CommitLock
from ..steps import StepReport
from ..storage.client import Storage
from .base import FileBase, look
from .data_files import ListingByMetastore
from .directories import VersionRoots
from .entries import EntryWriter
from .places import PlaceSearch


@dataclass(frozen=True, slots=True)
class Services:
    """What a run works with.

    ``lock`` guards commits where the metastore does not compare. ``find_partition_lock`` looks for
    a lock, and is called only where partitions are tracked. ``mixes_reads``: one ``get_table`` of
    another process may get the schema of one version with the location of another. ``search`` is
    the last one of the whole metastore.
    """

    capabilities: Capabilities
    metastore: MetastoreClient
    storage: Storage
    engine: Engine
    lock: CommitLock
    find_partition_lock: Callable[[], CommitLock | None]
    roots: VersionRoots
    search: PlaceSearch
    mixes_reads: bool = False
    by_metastore: ListingByMetastore = field(default_factory=ListingByMetastore)
    clock: Clock = SYSTEM_CLOCK
    _clocks: dict[str, ReadClock] = field(default_factory=dict)

    @property
    def conditional(self) -> bool:
        """True if the metastore compares and swaps."""
        return self.capabilities.conflict_check is ConflictCheck.CAS

    @property
    def entries(self) -> EntryWriter:
        """What changes an entry that is there."""
        return EntryWriter(self.metastore, self.lock)

    def now_ms(self, root: str) -> int:
        """The time of the storage that ``root`` lies on, in milliseconds."""
        tree = root.rpartition("/")[0]
        made = ReadClock(lambda: self.storage.now_ms(tree), self.clock)
        return self._clocks.setdefault(tree, made).now_ms()  # setdefault is atomic


@dataclass(frozen=True, slots=True)
class FileTable:
    """One target: what is asked of it, the services to work with, and the report of its steps."""

    context: StagingContext
    services: Services
    report: StepReport

    @property
    def name(self) -> TableName:
        """The target."""
        return self.context.target

    @property
    def metastore(self) -> MetastoreClient:
        """Where its entry is, and those of its records."""
        return self.services.metastore

    def look(self) -> FileBase:
        return look(self.metastore, self.name)
