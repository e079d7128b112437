"""The staging id: which staging schema of which metastore a tree of versions belongs to.

The id is a random name, kept in an entry of the staging schema and in a file of each tree. Two
staging schemas never meet in one tree. A metastore that was copied, or that has a new address, has
the id of the tree but not its address: it stages beside, and deletes nothing in there, until
somebody says whether it is the same metastore or a clone.
"""

import hashlib
import json
import logging
import re
import secrets
import threading
from contextlib import suppress

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryModifiedError,
    StagingSchemaError,
    StorageError,
)
from dbt.adapters.ctas_spark.staging.metastore.client import (
    EntryChange,
    Expectation,
    MetastoreClient,
)
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX
from dbt.adapters.ctas_spark.staging.storage.client import Storage

logger = logging.getLogger(__name__)

STAGING_ID = PREFIX + "staging_id"
"""The entry of the staging schema, and the property in it that holds the id."""
FILE = "staging-id"
VALID = re.compile(r"[a-z][0-9a-f]{12}(-[0-9a-f]{8})*")
MOVED = (
    "%s belongs to the metastore at %s, and this one is at %s: nothing in there is deleted. If it "
    "is the same metastore under a new address, run ctas_vacuum with metastore: same; if it is a "
    "copy of that one, with metastore: clone"
)


def new_staging_id() -> str:
    """A random name that begins with a letter: no file system and no filter hides it."""
    return f"s{secrets.token_hex(6)}"


class StagingId:
    """The id of one staging schema, looked up once for a run.

    ``address`` tells two metastores apart.
    """

    def __init__(
        self, metastore: MetastoreClient, storage: Storage, address: str, staging_schema: str
    ) -> None:
        self._metastore = metastore
        self._storage = storage
        self._address = address
        self._entry = TableName(staging_schema, STAGING_ID)
        self._guard = threading.RLock()
        self._id: str | None = None
        self._claimed: dict[str, str] = {}
        self._is_own: dict[str, bool] = {}

    def names(self) -> tuple[str, ...]:
        """What a tree of ours is called: the id, or the one beside it; none if no run made one."""
        with self._guard:
            if self._id is None:
                self._id = self._read()
            return () if self._id is None else (self._id, self._beside(self._id))

    def claim(self, folder: str) -> str:
        """The tree in ``folder`` to stage in; its file is there from now on.

        Raises:
            StorageError, MetastoreError: it could not be written or read.
            StagingSchemaError: the entry that holds the id was changed.
        """
        with self._guard:
            if folder not in self._claimed:
                self._claimed[folder] = self._first_of_ours(folder)
            return self._claimed[folder]

    def owns_tree(self, tree: str) -> bool:
        """True if this metastore, at this address, may delete in the tree; else it is said once."""
        with self._guard:
            if tree not in self._is_own:
                owner = self._owner(tree)
                self._is_own[tree] = owner == self._address
                if owner != self._address:
                    logger.warning(MOVED, tree, owner or "an unknown address", self._address)
            return self._is_own[tree]

    def is_same(self, folder: str) -> None:
        """The user says that the tree in ``folder`` is ours under a new address."""
        with self._guard:
            own = self.names()[:1]
            for tree in (f"{folder}/{name}" for name in own):
                if self._storage.exists(tree):
                    self._write(tree)
            self._forget()

    def is_clone(self, folder: str) -> None:
        """The user says that the tree in ``folder`` is another's, whose copy this metastore is.

        This one's id becomes the name of the tree in which it staged meanwhile.
        """
        with self._guard:
            names = self.names()
            if not names or self._owner(f"{folder}/{names[0]}") in (None, self._address):
                return
            entry = self._metastore.get_table(self._entry)
            if entry is not None:
                parameters = {**entry.parameters, STAGING_ID: names[1]}
                change = EntryChange(self._entry, entry, entry, parameters)
                with suppress(EntryModifiedError):
                    self._metastore.alter_table(change, Expectation(STAGING_ID, names[0]))
            self._id = None
            self._forget()

    def _forget(self) -> None:
        self._claimed.clear()
        self._is_own.clear()

    def _beside(self, staging_id: str) -> str:
        return f"{staging_id}-{hashlib.sha256(self._address.encode()).hexdigest()[:8]}"

    def _first_of_ours(self, folder: str) -> str:
        for tree in (f"{folder}/{name}" for name in self._made()):
            if self._owner(tree) is None:
                self._write(tree)
            if self._owner(tree) == self._address:
                return tree
        raise StorageError(f"every tree of this staging schema in {folder} is another metastore's")

    def _made(self) -> tuple[str, ...]:
        if not self.names():
            scratch = self._metastore.scratch_entry(self._entry)
            made = EntryChange(self._entry, scratch, None, {STAGING_ID: new_staging_id()})
            with suppress(EntryExistsError):  # another run was faster: its id is the one
                self._metastore.create_table(made)
        return self.names()

    def _read(self) -> str | None:
        entry = self._metastore.get_table(self._entry)
        found = entry.parameters.get(STAGING_ID, "") if entry is not None else None
        if found is not None and not VALID.fullmatch(found):
            raise StagingSchemaError(
                f"{self._entry} holds no staging id: somebody has changed it",
                left="nothing was started",
                remedy=f"set its property {STAGING_ID} to the name of the directory in ctas-spark",
            )
        return found

    def _owner(self, tree: str) -> str | None:
        """The address in the tree's file; None without a file."""
        text = self._storage.read(f"{tree}/{FILE}")
        if text is None:
            return None
        try:
            return str(json.loads(text)["metastore"])
        except (ValueError, KeyError, TypeError):
            return ""

    def _write(self, tree: str) -> None:
        told = {"staging_id": tree.rpartition("/")[2], "metastore": self._address}
        self._storage.write(f"{tree}/{FILE}", json.dumps(told))
