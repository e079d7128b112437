"""What a staged table works with; put together once by its catalog."""

from collections.abc import Callable
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.engines.protocol import Engine
from dbt.adapters.ctas_spark.staging.files.locks import CommitLock, NoLock
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient, PartitionClient
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.storage.client import Storage


@dataclass(frozen=True, slots=True)
class Services:
    """``conditional`` says that the metastore compares and swaps; else ``lock`` guards commits.

    ``find_partition_lock`` looks for the lock only where partitions are tracked: a server without
    lock tables is not asked for nothing.
    """

    metastore: MetastoreClient
    storage: Storage
    engine: Engine
    lease: Lease
    lock: CommitLock
    conditional: bool
    partitions: PartitionClient
    find_partition_lock: Callable[[], CommitLock | None]

    @property
    def partition_lock(self) -> CommitLock | None:
        """What guards the bookkeeping of tracked partitions; None where there is no lock."""
        return self.find_partition_lock()

    @property
    def tells_writers_apart(self) -> bool:
        """True if a commit over another's can be refused, and so a fence stands."""
        return self.conditional or not isinstance(self.lock, NoLock)
