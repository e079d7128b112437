"""What a table of files is staged and published with; put together once by its catalog."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from dbt.adapters.ctas_spark.staging.clock import SYSTEM_CLOCK, Clock, ReadClock
from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.engines.protocol import Engine
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoots
from dbt.adapters.ctas_spark.staging.files.places import Listing
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.publish.locks import CommitLock
from dbt.adapters.ctas_spark.staging.storage.client import Storage


@dataclass(frozen=True, slots=True)
class Services:
    """``conditional`` says that the metastore compares and swaps; else ``lock`` guards commits.

    ``find_partition_lock`` looks for the lock only where partitions are tracked: a server without
    lock tables is not asked for nothing. ``reaches`` is the level that a call keeps at most.
    ``mixes_reads``: one ``get_table`` of another process may get the schema of one version with the
    location of another. ``listing`` is what a thorough clean-up looks through.
    """

    metastore: MetastoreClient
    storage: Storage
    engine: Engine
    lock: CommitLock
    conditional: bool
    find_partition_lock: Callable[[], CommitLock | None]
    roots: VersionRoots
    reaches: Atomicity = Atomicity.ISOLATED
    mixes_reads: bool = False
    clock: Clock = SYSTEM_CLOCK
    listing: Listing = field(default_factory=Listing)
    _clocks: dict[str, ReadClock] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def now_ms(self, root: str) -> int:
        """The time of the storage that ``root`` lies on, in milliseconds."""
        tree = root.rpartition("/")[0]
        with self._guard:
            if tree not in self._clocks:
                self._clocks[tree] = ReadClock(lambda: self.storage.now_ms(tree), self.clock)
            found = self._clocks[tree]
        return found.now_ms()
