"""Which metastore a tree of versions belongs to, by a file in it.

A metastore that was copied, or that has a new address, has the id of the tree but not its address:
it stages next to it, and deletes nothing in there, until somebody says whether it is the same
metastore or a clone.
"""

import json
import logging
import threading

from ..redaction import redacted
from ..storage.client import Storage

logger = logging.getLogger(__name__)

FILE = "staging-id"
MOVED = (
    "%s belongs to the metastore at %s, and this one is at %s: nothing in it is deleted. If it is "
    "the same metastore under a new address, run ctas_vacuum with metastore: same; if it is a "
    "copy of that one, with metastore: clone"
)


class TreeOwners:
    """Asked by the metastore at ``address``; an answer holds for a run, and for every thread."""

    def __init__(self, storage: Storage, address: str) -> None:
        self._storage = storage
        self._address = address
        self._guard = threading.Lock()
        self._is_own: dict[str, bool] = {}

    def owner(self, tree: str) -> str | None:
        """The address in the tree's file, "" if it can't be read; None without a file."""
        text = self._storage.read(f"{tree}/{FILE}")
        if text is None:
            return None
        try:
            address = str(json.loads(text)["metastore"])
            return redacted({FILE: address})[FILE]  # as addresses are written since
        except (ValueError, KeyError, TypeError):
            return ""

    def may_delete(self, tree: str) -> bool:
        """True if the tree's file has the address of this metastore; else one warning says so."""
        with self._guard:
            if tree not in self._is_own:
                owner = self.owner(tree)
                self._is_own[tree] = owner == self._address
                if owner != self._address:
                    logger.warning(MOVED, tree, owner or "an unknown address", self._address)
            return self._is_own[tree]

    def is_foreign(self, tree: str) -> bool:
        """True if its file has another address."""
        return self.owner(tree) not in (None, self._address)

    def claim(self, tree: str) -> None:
        """Write the file; of several at once, one succeeds, and none of them is told which."""
        self._storage.create(*self._file(tree))

    def take_over(self, tree: str) -> None:
        """Write the file, whosever it was."""
        self._storage.write(*self._file(tree))

    def ask_again(self) -> None:
        """After the files were changed."""
        with self._guard:
            self._is_own.clear()

    def _file(self, tree: str) -> tuple[str, str]:
        """Its path, and its text."""
        owner = {"staging_id": tree.rpartition("/")[2], "metastore": self._address}
        return f"{tree}/{FILE}", json.dumps(owner)
