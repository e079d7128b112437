"""Where the versions of tables lie: in a tree for each staging schema.

The dash can't occur in a table name of the session catalog, so no plain table's directory
contains ``ctas-spark``. Below it, the staging id is a random name, kept in an entry of the staging
schema and in a file of each tree: two staging schemas never meet in one tree.
"""

import hashlib
import json
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import suppress

from ..context import StagingContext, TableName
from ..errors import NoSuchSchemaError, StorageError
from ..metastore.client import MetastoreClient
from ..publish import messages
from ..redaction import redacted
from ..retention.rules import MovedMetastore
from ..storage.client import AccessDeniedError, Storage
from .staging_entry import StagingEntry

logger = logging.getLogger(__name__)

FOLDER = "ctas-spark"
LOCAL = re.compile(r"^file:/+")
FILE = "staging-id"
"""In each tree: the id, and the address of the metastore that the tree belongs to."""
MOVED = (
    "%s belongs to the metastore at %s, and this one is at %s: nothing in it is deleted. If it is "
    "the same metastore under a new address, run ctas_vacuum with metastore: same; if it is a "
    "copy of that one, with metastore: clone"
)


class VersionRoots:
    """The directories of the versions of one staging schema; safe to share between threads.

    A root is ``<schema location or location_root>/ctas-spark/<staging id>/<database.table>``, and
    its tree is what lies above the table. ``address`` tells two metastores apart.
    """

    def __init__(
        self, metastore: MetastoreClient, storage: Storage, address: str, staging_schema: str
    ) -> None:
        self._metastore = metastore
        self._storage = storage
        self._address = address
        self.staging = StagingEntry(metastore, staging_schema)
        self.owners = TreeOwners(storage, address)
        self._guard = threading.RLock()
        self._folders: dict[str, str] = {}
        self._claimed: dict[str, str] = {}
        self._tables_in: dict[str, frozenset[str]] = {}

    def root_of(self, context: StagingContext) -> str:
        """The root to stage in; from then on its tree has the file with the staging id.

        The directory is noted before the first version lies there.

        Raises:
            NoSuchSchemaError: the target's schema does not exist.
            StagingSchemaError: the entry that holds the id was changed.
            StorageError, MetastoreError: it could not be written or read.
        """
        folder = self._folder(context)
        with self._guard:
            try:
                return self._made_root(folder, context)
            except StorageError as error:
                error.table, error.left = context.target, messages.NO_JOB
                raise

    def _made_root(self, folder: str, context: StagingContext) -> str:
        if folder not in self._claimed:
            self._make(folder, folder, context)
            tree = self._first_of_ours(folder, context)
            self.staging.note_directory(folder)
            self._claimed[folder] = tree
        root = f"{self._claimed[folder]}/{_key(context.target)}"
        self._make(root, folder, context)
        return root

    def _make(self, directory: str, folder: str, context: StagingContext) -> None:
        """As shared as the directory that all versions lie below: whoever builds there may build.

        At the usual umask it would be its first writer's alone.
        """
        schema = folder.rpartition("/")[0]
        try:
            self._storage.make_directory(directory, like=schema)
        except AccessDeniedError as error:
            is_there = self._storage.exists(directory)
            remedy = f"ask the directory's owner, or an administrator, to run: {opened(folder)}"
            raise AccessDeniedError(
                f"no version can be staged: {error.what}",
                table=context.target,
                left=messages.NO_JOB,
                remedy=remedy if is_there else f"give this user the right to write in {schema}",
            ) from error

    def known(self, context: StagingContext) -> tuple[str, ...]:
        """The roots that versions may lie in, by this configuration or by an earlier one.

        Nothing is written. But for the tree of the id alone, trees are listed once for a run: most
        are not there, and an object store takes five requests to say so.
        """
        folder, key, names = None, _key(context.target), self._names()
        with suppress(NoSuchSchemaError):  # gone: nobody can stage in it any more
            folder = self._folder(context)
        trees = [f"{folder}/{name}" for name in names if folder is not None]
        others = (*trees[1:], *self._trees(folder))
        found = (one for one in others if key in self._keys_in(one))
        return tuple(f"{one}/{key}" for one in (*trees[:1], *found))

    def tables(self) -> tuple[TableName, ...]:
        """The tables that have a directory in a tree which was ever used, in small letters."""
        keys = {key for tree in self._trees() for key in self._keys_in(tree)}
        return tuple(TableName(*key.split(".", 1)) for key in sorted(keys) if "." in key)

    def forget_empty(self, target: TableName) -> None:
        """Remove a table's directories in which no version is left."""
        for tree in self._trees():
            if _key(target) in self._keys_in(tree):
                self._storage.remove_empty(f"{tree}/{_key(target)}")
                with self._guard:
                    self._tables_in.pop(tree, None)

    def owns(self, root: str, target: TableName) -> bool:
        """True if the root is one of the target's here: the address before it does not count."""
        *_, folder, staging_id, key = ("", "", *root.rstrip("/").split("/"))
        return folder == FOLDER and staging_id in self._names() and key == _key(target)

    def may_delete(self, root: str) -> bool:
        """False for a root in the tree of another metastore."""
        return self.owners.may_delete(root.rstrip("/").rpartition("/")[0])

    def moved(self, context: StagingContext, what: MovedMetastore) -> None:
        """Follow what the user says of a tree whose file has another address."""
        with self._guard:
            for name in self._names()[:1]:
                tree = f"{self._folder(context)}/{name}"
                if what is MovedMetastore.CLONE:
                    self._leave_to_the_original(tree)
                elif self._storage.exists(tree):
                    self.owners.take_over(tree)
            self._claimed.clear()
            self.owners.ask_again()

    def _leave_to_the_original(self, tree: str) -> None:
        """This metastore's id becomes the name of the tree in which it staged meanwhile."""
        if self.owners.is_foreign(tree):
            _, instead = self._names()
            self.staging.change_id(instead)

    def forget_trees(self) -> None:
        """Remove those of ours in which no table has a directory."""
        for tree in self._trees():
            if self._storage.children(tree) == (FILE,) and self.owners.may_delete(tree):
                self._storage.delete(tree)

    def _trees(self, but: str | None = None) -> Iterator[str]:
        """Those that were ever noted, without the ones in one directory."""
        names = self._names()
        noted = sorted(self.staging.directories())
        return (f"{one}/{name}" for one in noted if one != but for name in names)

    def _keys_in(self, tree: str) -> frozenset[str]:
        """The tables that have versions in a tree of an earlier configuration."""
        with self._guard:
            if tree not in self._tables_in:
                try:
                    self._tables_in[tree] = frozenset(self._storage.children(tree))
                except StorageError as error:  # other directories are cleaned up all the same
                    logger.warning("%s can't be listed, so its contents stay: %s", tree, error)
                    self._tables_in[tree] = frozenset()
            return self._tables_in[tree]

    def _names(self) -> tuple[str, ...]:
        """What a tree of ours is called: the id, or the id and a hash of the address.

        Empty as long as no run has made an id.
        """
        staging_id = self.staging.id()
        if staging_id is None:
            return ()
        suffix = hashlib.sha256(self._address.encode()).hexdigest()[:8]
        return (staging_id, f"{staging_id}-{suffix}")

    def _first_of_ours(self, folder: str, context: StagingContext) -> str:
        if self.staging.id() is None:
            self.staging.made()
        for tree in (f"{folder}/{name}" for name in self._names()):
            owner = self.owners.owner(tree)
            if owner is None:
                self._make(tree, folder, context)
                self.owners.claim(tree)
                owner = self.owners.owner(tree)
            if owner == self._address:
                return tree
        raise StorageError(
            f"every directory of this staging schema in {folder} belongs to another metastore",
            remedy="set staging_schema to another name, or location_root to another directory",
        )

    def _folder(self, context: StagingContext) -> str:
        """With a scheme, by which it is known how exact a listing of it is."""
        root, target = context.layout.location_root, context.target
        with self._guard:
            found = self._folders.get(root or target.database)
            if found is None:
                database = self._metastore.database_location
                parent = self._storage.qualified(root) if root else database(target.database)
                if parent is None:
                    raise messages.no_such_schema(target)
                found = f"{parent.rstrip('/')}/{FOLDER}"
                self._folders[root or target.database] = found
            return found


def opened(folder: str) -> str:
    """The command by which the group of a tree may write in all of it."""
    local = LOCAL.sub("/", folder)
    command = "hdfs dfs -chmod" if local == folder else "chmod"
    return f"{command} -R g+w {local}"


def _key(target: TableName) -> str:
    return f"{target.database}.{target.table}".lower()


class TreeOwners:
    """Which metastore a tree of versions belongs to, by a file in it.

    A metastore that was copied, or that has a new address, has the id of the tree but not its
    address: it stages next to it, and deletes nothing in there, until somebody says whether it is
    the same metastore or a clone. ``address`` is that of the metastore that asks; an answer holds
    for a run, and for every thread.
    """

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
        """Write the file, whoever it belonged to."""
        self._storage.write(*self._file(tree))

    def ask_again(self) -> None:
        """After the files were changed."""
        with self._guard:
            self._is_own.clear()

    def _file(self, tree: str) -> tuple[str, str]:
        """Its path, and its text."""
        owner = {"staging_id": tree.rpartition("/")[2], "metastore": self._address}
        return f"{tree}/{FILE}", json.dumps(owner)
