"""The ids of a version and of its publications."""

import re
import secrets
from datetime import datetime, timezone

VERSION_ID = re.compile(r"\d{8}t\d{6}x[0-9a-f]{8}")
START = "%Y%m%dt%H%M%S"


def new_version_id(wall_ms: int) -> str:
    """A start in UTC and eight random hex digits: it names a directory and an entry.

    Args:
        wall_ms: UTC in milliseconds since the epoch.
    """
    started = datetime.fromtimestamp(wall_ms / 1000, tz=timezone.utc)
    return f"{started:{START}}x{secrets.token_hex(4)}"


def started_ms(version: str) -> int:
    """When the attempt began, in milliseconds since the epoch, by the clock of its machine."""
    start = datetime.strptime(version.partition("x")[0], START).replace(tzinfo=timezone.utc)
    return int(start.timestamp()) * 1000


def new_commit_id() -> str:
    """A fresh id; every publication has its own."""
    return "c" + secrets.token_hex(8)
