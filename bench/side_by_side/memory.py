"""The most memory that a session's JVM had in use."""

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

MEGABYTE = 1_000_000
RESET_PEAK = "5"
"""What Linux takes in clear_refs, to count the peak of resident memory from here on."""


class Memory:
    """Peaks of the heap, and of resident memory."""

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark.sparkContext._jvm  # noqa: SLF001 (it has no public name)
        factory = jvm.java.lang.management.ManagementFactory
        self._system = jvm.java.lang.System
        heap = jvm.java.lang.management.MemoryType.HEAP
        self._pools = [pool for pool in factory.getMemoryPoolMXBeans() if pool.getType() == heap]
        pid = factory.getRuntimeMXBean().getName().partition("@")[0]
        self._process = Path("/proc", pid)

    def reset(self) -> None:
        """Collect garbage, and count from here on."""
        self._system.gc()
        for pool in self._pools:
            pool.resetPeakUsage()
        (self._process / "clear_refs").write_text(RESET_PEAK)

    def peaks(self) -> tuple[int, int]:
        """Heap (the sum of its pools' peaks) and resident memory since the reset, in MB."""
        heap = sum(pool.getPeakUsage().getUsed() for pool in self._pools)
        status = (self._process / "status").read_text().splitlines()
        (line,) = (one for one in status if one.startswith("VmHWM:"))
        return heap // MEGABYTE, int(line.split()[1]) * 1024 // MEGABYTE
