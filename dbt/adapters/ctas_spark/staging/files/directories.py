"""Where the versions of tables lie, and which staging schema of which metastore a tree belongs to.

The dash can't occur in a table name of the session catalog, so no plain table's directory
contains ``ctas-spark``. Below it, the staging id is a random name, kept in an entry of the staging
schema and in a file of each tree: two staging schemas never meet in one tree. A metastore that was
copied, or that has a new address, has the id of the tree but not its address: it stages next to
it, and deletes nothing in there, until somebody says whether it is the same metastore or a clone.
"""

import hashlib
import json
import logging
import re
import secrets
import threading
from contextlib import suppress

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
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
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX
from dbt.adapters.ctas_spark.staging.retention.rules import MovedMetastore
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


FOLDER = "ctas-spark"


class VersionRoots:
    """The directories of the versions of one staging schema; safe to share between threads.

    A root is ``<schema location or location_root>/ctas-spark/<staging id>/<database.table>``, and
    its tree is what lies above the table.
    """

    def __init__(
        self, metastore: MetastoreClient, storage: Storage, address: str, staging_schema: str
    ) -> None:
        self._metastore = metastore
        self._staging_id = StagingId(metastore, storage, address, staging_schema)
        self._guard = threading.Lock()
        self._locations: dict[str, str] = {}

    def root_of(self, context: StagingContext) -> str:
        """The root to stage in; from then on its tree has the file with the staging id.

        Raises:
            NoSuchSchemaError: the target's schema does not exist.
            StorageError, MetastoreError: it could not be written or read.
        """
        return f"{self._staging_id.claim(self._folder(context))}/{_key(context.target)}"

    def known(self, context: StagingContext) -> tuple[str, ...]:
        """The roots that versions may lie in by the present configuration; nothing is written."""
        folder, key = self._folder(context), _key(context.target)
        return tuple(f"{folder}/{name}/{key}" for name in self._staging_id.names())

    def owns(self, root: str, target: TableName) -> bool:
        """True if the root is one of the target's here: the address before it does not count."""
        *_, folder, staging_id, key = ("", "", *root.rstrip("/").split("/"))
        is_ours = folder == FOLDER and staging_id in self._staging_id.names()
        return is_ours and key == _key(target)

    def may_delete(self, root: str) -> bool:
        """True if the tree's file has the address of this metastore."""
        return self._staging_id.owns_tree(root.rstrip("/").rpartition("/")[0])

    def moved(self, context: StagingContext, what: MovedMetastore) -> None:
        """Follow what the user says of a tree whose file has another address."""
        if what is MovedMetastore.SAME:
            self._staging_id.is_same(self._folder(context))
        else:
            self._staging_id.is_clone(self._folder(context))

    def _folder(self, context: StagingContext) -> str:
        parent = context.layout.location_root or self._location(context.target)
        return f"{parent.rstrip('/')}/{FOLDER}"

    def _location(self, target: TableName) -> str:
        with self._guard:
            known = self._locations.get(target.database)
        found = known or self._metastore.database_location(target.database)
        if found is None:
            raise messages.no_such_schema(target)
        with self._guard:
            self._locations[target.database] = found
        return found


def _key(target: TableName) -> str:
    return f"{target.database}.{target.table}".lower()
