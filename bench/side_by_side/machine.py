"""The machine on which a benchmark runs, and whether others use it."""

import os
import platform
import time
from pathlib import Path

SETTLED = 0.1
"""The share of all cores that an idle machine uses at most."""


def described() -> dict[str, object]:
    """Processor, cores, memory and kernel."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _first("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "memory, GB": round(memory / 1e9, 1),
        "kernel": platform.release(),
    }


def settled(within: float = 10.0) -> float:
    """The share of all cores that is in use, once it is small, or after so many seconds."""
    deadline = time.monotonic() + within
    while (share := busy()) > SETTLED and time.monotonic() < deadline:
        pass
    return share


def busy(seconds: float = 0.5) -> float:
    """The share of all cores that is in use during these seconds."""
    idle, total = _ticks()
    time.sleep(seconds)
    idle_after, total_after = _ticks()
    return round(1 - (idle_after - idle) / max(1, total_after - total), 2)


def _ticks() -> tuple[int, int]:
    """The ticks in which cores were idle or waited for a disk, and all of them."""
    ticks = [int(one) for one in _first("/proc/stat", "cpu").split()]
    return ticks[3] + ticks[4], sum(ticks[:8])


def _first(file: str, key: str) -> str:
    lines = Path(file).read_text().splitlines()
    found = next((line for line in lines if line.startswith(key)), key)
    return found.removeprefix(key).lstrip(" \t:")
