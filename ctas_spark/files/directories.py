"""Where the versions of tables lie, and which staging schema of which metastore a tree belongs to.

The dash can't occur in a table name of the session catalog, so no plain table's directory
contains ``ctas-spark``. Below it, the staging id is a random name, kept in an entry of the staging
schema and in a file of each tree: two staging schemas never meet in one tree. A metastore that was
copied, or that has a new address, has the id of the tree but not its address: it stages next to
it, and deletes nothing in there, until somebody says whether it is the same metastore or a clone.

The entry also holds every directory in which its staging schema ever had a tree, and the staging
schemas that its targets had before, so that a changed configuration leaves nothing for ever.
"""

import hashlib
import json
import logging
import re
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress

from ..context import StagingContext, TableName
from ..errors import (
    EntryExistsError,
    EntryModifiedError,
    MetastoreError,
    NoSuchSchemaError,
    StagingSchemaError,
    StorageError,
)
from ..metastore.client import EntryChange, Expectation, MetastoreClient, TableEntry
from ..publish import messages
from ..publish.locks import NoLock
from ..publish.marker import PREFIX
from ..redaction import redacted
from ..retention.rules import MovedMetastore
from ..storage.client import AccessDeniedError, Storage
from .entries import MOST_ATTEMPTS, EntryWriter

logger = logging.getLogger(__name__)

FOLDER = "ctas-spark"
STAGING_ID = PREFIX + "staging_id"
"""The entry of the staging schema, and the property in it that holds the id."""
FILE = "staging-id"
STAGING_SCHEMA = PREFIX + "staging_schema"
"""The property of a target that names where the records of its versions are."""
ROOT, FORMER = PREFIX + "root_", PREFIX + "former_"
"""Properties of the id's entry: a directory with a tree, and another staging schema; one each."""
NOTED = PREFIX + "noted"
"""A token that each change of the id's entry renews, for a compare-and-swap over all of it."""
LOCAL = re.compile(r"^file:/+")
VALID = re.compile(r"[a-z][0-9a-f]{12}(-[0-9a-f]{8})*")
MOVED = (
    "%s belongs to the metastore at %s, and this one is at %s: nothing in it is deleted. If it is "
    "the same metastore under a new address, run ctas_vacuum with metastore: same; if it is a "
    "copy of that one, with metastore: clone"
)


class VersionRoots:
    """The directories of the versions of one staging schema; safe to share between threads.

    A root is ``<schema location or location_root>/ctas-spark/<staging id>/<database.table>``, and
    its tree is what lies above the table. ``address`` tells two metastores apart. The staging id
    is looked up once for a run.
    """

    def __init__(
        self, metastore: MetastoreClient, storage: Storage, address: str, staging_schema: str
    ) -> None:
        self._metastore = metastore
        self._storage = storage
        self._address = address
        self._entry = TableName(staging_schema, STAGING_ID)
        self.entries = EntryWriter(metastore, NoLock())
        """What changes the id's entry; with a lock, once the metastore was found not to compare."""
        self._guard = threading.RLock()
        self._id: str | None = None
        self._folders: dict[str, str] = {}
        self._claimed: dict[str, str] = {}
        self._is_own: dict[str, bool] = {}
        self._noted: dict[str, str] = {}
        self._tables_in: dict[str, frozenset[str]] = {}
        self._former: tuple[str, ...] | None = None

    def entry(self) -> TableEntry:
        """The entry that holds the staging id; it is made where there is none yet.

        Raises:
            StagingSchemaError: it was changed.
            MetastoreError: it could not be made, or is gone again.
        """
        with self._guard:
            entry = self._read()
            if entry is None:
                self._make_id()
                entry = self._read()
            if entry is None:
                raise MetastoreError(f"{self._entry} was made just now, and is gone")
            return entry

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
                error.table = context.target
                raise

    def _made_root(self, folder: str, context: StagingContext) -> str:
        if folder not in self._claimed:
            self._make(folder, folder, context)
            tree = self._first_of_ours(folder, context)
            self._note(ROOT, folder)
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
            mended = f"the directory's owner, or an administrator, runs: {opened(folder)}"
            raise AccessDeniedError(
                f"no version can be staged: {error.what}",
                table=context.target,
                left=messages.NO_JOB,
                remedy=mended if is_there else f"give this user the right to write in {schema}",
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

    def follow(self, base: TableEntry | None) -> None:
        """Note the staging schema in which a target's versions have been so far, if it is another.

        Raises:
            StagingSchemaError, MetastoreError: it could not be noted.
        """
        schema = base.parameters.get(STAGING_SCHEMA) if base is not None else None
        if schema and schema != self._entry.database:
            with self._guard:
                self._note(FORMER, schema)

    def former_schemas(self) -> tuple[str, ...]:
        """The staging schemas that targets of this one had before, as far as they still exist.

        Raises:
            StagingSchemaError, MetastoreError: it could not be found out.
        """
        with self._guard:
            if self._former is None:
                self._names()
                self._former = self._found_former()
            return self._former

    def owns(self, root: str, target: TableName) -> bool:
        """True if the root is one of the target's here: the address before it does not count."""
        *_, folder, staging_id, key = ("", "", *root.rstrip("/").split("/"))
        return folder == FOLDER and staging_id in self._names() and key == _key(target)

    def may_delete(self, root: str) -> bool:
        """True if the tree's file has the address of this metastore; else one warning says so."""
        tree = root.rstrip("/").rpartition("/")[0]
        with self._guard:
            if tree not in self._is_own:
                owner = self._owner(tree)
                self._is_own[tree] = owner == self._address
                if owner != self._address:
                    logger.warning(MOVED, tree, owner or "an unknown address", self._address)
            return self._is_own[tree]

    def moved(self, context: StagingContext, what: MovedMetastore) -> None:
        """Follow what the user says of a tree whose file has another address."""
        with self._guard:
            for name in self._names()[:1]:
                tree = f"{self._folder(context)}/{name}"
                if what is MovedMetastore.CLONE:
                    self._leave_to_the_original(tree)
                elif self._storage.exists(tree):
                    self._storage.write(*self._owned(tree))
            self._claimed.clear()
            self._is_own.clear()

    def _leave_to_the_original(self, tree: str) -> None:
        """This metastore's id becomes the name of the tree in which it staged meanwhile."""
        entry = self._read()
        if entry is None or self._owner(tree) in (None, self._address):
            return
        _, instead = self._names()
        with suppress(EntryModifiedError):
            self._change(entry, {STAGING_ID: instead})
        self._id = None

    def _change(self, entry: TableEntry, changed: Mapping[str, str]) -> None:
        """By compare-and-swap over all of the entry as it was read."""
        parameters = {**entry.parameters, **changed, NOTED: secrets.token_hex(4)}
        token = NOTED if NOTED in entry.parameters else STAGING_ID
        expected = Expectation(token, entry.parameters[token])
        self.entries.change(self._entry, EntryChange.of(entry, parameters), expected)

    def _note(self, kind: str, value: str) -> None:
        """Add a property to the id's entry, once; read again, where the metastore compares none."""
        key = kind + hashlib.sha256(value.encode()).hexdigest()[:8]
        for _ in range(MOST_ATTEMPTS):
            if self._noted.get(key) == value:
                return
            entry = self.entry()
            if key not in entry.parameters:
                with suppress(EntryModifiedError):
                    self._change(entry, {key: value})
                self.entry()
                self._former = None
        raise MetastoreError(
            f"{self._entry} was changed by others again and again, and {value} could not be noted "
            f"in it",
            left="nothing was published",
            remedy="run the model again",
        )

    def _found_former(self) -> tuple[str, ...]:
        """Also those that the former ones followed."""
        found, noted = list[str](), [*_former_in(self._noted)]
        for schema in noted:  # which grows meanwhile
            is_known = schema in (*found, self._entry.database)
            if not is_known and self._metastore.database_location(schema) is not None:
                found.append(schema)
                entry = self._metastore.get_table(TableName(schema, STAGING_ID))
                noted += _former_in(entry.parameters) if entry is not None else ()
        return tuple(found)

    def forget_trees(self) -> None:
        """Remove those of ours in which no table has a directory."""
        for tree in self._trees():
            if self._storage.children(tree) == (FILE,) and self.may_delete(f"{tree}/any"):
                self._storage.delete(tree)

    def _trees(self, but: str | None = None) -> Iterator[str]:
        """Those that were ever noted, without the ones in one directory."""
        names = self._names()
        noted = {one for name, one in self._noted.items() if name.startswith(ROOT)} - {but}
        return (f"{one}/{name}" for one in sorted(noted) for name in names)

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
        with self._guard:
            if self._id is None:
                self._read()
            if self._id is None:
                return ()
            suffix = hashlib.sha256(self._address.encode()).hexdigest()[:8]
            return (self._id, f"{self._id}-{suffix}")

    def _first_of_ours(self, folder: str, context: StagingContext) -> str:
        if self._id is None:
            self.entry()
        for tree in (f"{folder}/{name}" for name in self._names()):
            owner = self._owner(tree)
            if owner is None:
                self._make(tree, folder, context)
                self._storage.create(*self._owned(tree))
                owner = self._owner(tree)
            if owner == self._address:
                return tree
        raise StorageError(
            f"every directory of this staging schema in {folder} belongs to another metastore"
        )

    def _make_id(self) -> None:
        """A random name that begins with a letter: no file system and no filter hides it."""
        scratch = self._metastore.scratch_entry(self._entry)
        named = {STAGING_ID: f"s{secrets.token_hex(6)}", NOTED: secrets.token_hex(4)}
        made = EntryChange(self._entry, scratch, None, named)
        with suppress(EntryExistsError):  # another run was faster: its id is the one
            self._metastore.create_table(made)

    def _read(self) -> TableEntry | None:
        """The entry as it is; its id is remembered."""
        entry = self._metastore.get_table(self._entry)
        if entry is None:
            return None
        found = entry.parameters.get(STAGING_ID, "")
        if not VALID.fullmatch(found):
            raise StagingSchemaError(
                f"{self._entry} holds no staging id: somebody has changed it",
                left="nothing was started",
                remedy=f"set its property {STAGING_ID} to the name of the directory in ctas-spark",
            )
        self._id = found
        self._noted = {
            key: value for key, value in entry.parameters.items() if key.startswith((ROOT, FORMER))
        }
        return entry

    def _owner(self, tree: str) -> str | None:
        """The address in the tree's file; None without a file."""
        text = self._storage.read(f"{tree}/{FILE}")
        if text is None:
            return None
        try:
            address = str(json.loads(text)["metastore"])
            return redacted({FILE: address})[FILE]  # as addresses are written since
        except (ValueError, KeyError, TypeError):
            return ""

    def _owned(self, tree: str) -> tuple[str, str]:
        """The file that says whose the tree is, and its text."""
        owner = {"staging_id": tree.rpartition("/")[2], "metastore": self._address}
        return f"{tree}/{FILE}", json.dumps(owner)

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


def _former_in(parameters: Mapping[str, str]) -> Iterator[str]:
    return (value for key, value in parameters.items() if key.startswith(FORMER))


def _key(target: TableName) -> str:
    return f"{target.database}.{target.table}".lower()
