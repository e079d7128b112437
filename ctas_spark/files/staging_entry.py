"""The entry of a staging schema that holds its id, and what must not be forgotten along with it.

That is every directory in which the staging schema ever had a tree, and the staging schemas that
its targets had before: a changed configuration leaves nothing for ever.
"""

import hashlib
import re
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress

from ..context import TableName
from ..errors import EntryExistsError, EntryModifiedError, MetastoreError, StagingSchemaError
from ..metastore.client import EntryChange, Expectation, MetastoreClient, TableEntry
from ..publish import messages
from ..publish.locks import NoLock
from ..publish.marker import PREFIX
from .entries import MOST_ATTEMPTS, EntryWriter

STAGING_ID = PREFIX + "staging_id"
"""The entry of the staging schema, and the property in it that holds the id."""
STAGING_SCHEMA = PREFIX + "staging_schema"
"""The property of a target that names where the records of its versions are."""
ROOT, FORMER = PREFIX + "root_", PREFIX + "former_"
"""Properties of the id's entry: a directory with a tree, and another staging schema; one each."""
NOTED = PREFIX + "noted"
"""A token that each change of the id's entry renews, for a compare-and-swap over all of it."""
VALID = re.compile(r"[a-z][0-9a-f]{12}(-[0-9a-f]{8})*")


class StagingEntry:
    """One staging schema's; it is read once for a run, and is safe to share between threads.

    ``writer`` is what changes it; with a lock, once the metastore was found not to compare.
    """

    def __init__(self, metastore: MetastoreClient, staging_schema: str) -> None:
        self.name = TableName(staging_schema, STAGING_ID)
        self.writer = EntryWriter(metastore, NoLock())
        self._metastore = metastore
        self._guard = threading.RLock()
        self._id: str | None = None
        self._noted: dict[str, str] = {}
        self._former: tuple[str, ...] | None = None

    def made(self) -> TableEntry:
        """The entry as it is; it is made where there is none yet.

        Raises:
            StagingSchemaError: it was changed.
            MetastoreError: it could not be made, or is gone again.
        """
        with self._guard:
            entry = self._read()
            if entry is None:
                self._make()
                entry = self._read()
            if entry is None:
                raise MetastoreError(f"{self.name} was created a moment ago, and is gone already")
            return entry

    def try_rights(self) -> None:
        """Create an entry next to it, and drop that again.

        Raises:
            MetastoreError: the metastore refuses one of both.
        """
        name = TableName(self.name.database, f"{PREFIX}tried_{secrets.token_hex(4)}")
        made = EntryChange(name, self._metastore.scratch_entry(name), None, {})
        try:
            self._metastore.create_table(made)
            self._metastore.drop_entry(name)
        except MetastoreError as error:
            raise MetastoreError(
                f"tables can't be created and dropped in {name.database}: {error.what}",
                left=messages.UNTOUCHED,
                remedy="give the user who runs dbt that right, there and in the models' schemas",
            ) from error

    def id(self) -> str | None:
        """The staging id; None as long as no run has made it."""
        with self._guard:
            if self._id is None:
                self._read()
            return self._id

    def directories(self) -> frozenset[str]:
        """Those in which the staging schema ever had a tree."""
        with self._guard:
            self.id()
            return frozenset(one for name, one in self._noted.items() if name.startswith(ROOT))

    def note_directory(self, directory: str) -> None:
        """Note it before the first version lies there; errors as of ``made``."""
        self._note(ROOT, directory)

    def follow(self, base: TableEntry | None) -> None:
        """Note the staging schema in which a target's versions have been so far, if it is another.

        Raises:
            StagingSchemaError, MetastoreError: it could not be noted.
        """
        schema = base.parameters.get(STAGING_SCHEMA) if base is not None else None
        if schema and schema != self.name.database:
            self._note(FORMER, schema)

    def former_schemas(self) -> tuple[str, ...]:
        """The staging schemas that targets of this one had before, as far as they still exist.

        Raises:
            StagingSchemaError, MetastoreError: it could not be found out.
        """
        with self._guard:
            if self._former is None:
                self.id()
                self._former = self._found_former()
            return self._former

    def change_id(self, new: str) -> None:
        """Another run that did it meanwhile is as good."""
        with self._guard:
            entry = self._read()
            if entry is not None:
                with suppress(EntryModifiedError):
                    self._change(entry, {STAGING_ID: new})
            self._id = None

    def _read(self) -> TableEntry | None:
        """The entry as it is; what it holds is remembered."""
        entry = self._metastore.get_table(self.name)
        if entry is None:
            return None
        found = entry.parameters.get(STAGING_ID, "")
        if not VALID.fullmatch(found):
            raise StagingSchemaError(
                f"{self.name} holds no staging id: somebody has changed it",
                left="nothing was started",
                remedy=f"set its property {STAGING_ID} to the name of the directory in ctas-spark",
            )
        self._id = found
        self._noted = {
            key: value for key, value in entry.parameters.items() if key.startswith((ROOT, FORMER))
        }
        return entry

    def _make(self) -> None:
        """A random name that begins with a letter: no file system and no filter hides it."""
        scratch = self._metastore.scratch_entry(self.name)
        named = {STAGING_ID: f"s{secrets.token_hex(6)}", NOTED: secrets.token_hex(4)}
        made = EntryChange(self.name, scratch, None, named)
        with suppress(EntryExistsError):  # another run was faster: its id is the one
            self._metastore.create_table(made)

    def _change(self, entry: TableEntry, changed: Mapping[str, str]) -> None:
        """By compare-and-swap over all of the entry as it was read."""
        parameters = {**entry.parameters, **changed, NOTED: secrets.token_hex(4)}
        token = NOTED if NOTED in entry.parameters else STAGING_ID
        expected = Expectation(token, entry.parameters[token])
        self.writer.change(self.name, EntryChange.of(entry, parameters), expected)

    def _note(self, kind: str, value: str) -> None:
        """Add a property, once; read again, where the metastore compares none."""
        key = kind + hashlib.sha256(value.encode()).hexdigest()[:8]
        with self._guard:
            for _ in range(MOST_ATTEMPTS):
                if self._noted.get(key) == value:
                    return
                entry = self.made()
                if key not in entry.parameters:
                    with suppress(EntryModifiedError):
                        self._change(entry, {key: value})
                    self.made()
                    self._former = None
        raise MetastoreError(
            f"{self.name} kept changing, and {value} could not be noted in it",
            remedy="run the model again",
        )

    def _found_former(self) -> tuple[str, ...]:
        """Also those that the former ones followed."""
        found, noted = list[str](), [*_former_in(self._noted)]
        for schema in noted:  # which grows meanwhile
            is_known = schema in (*found, self.name.database)
            if not is_known and self._metastore.database_location(schema) is not None:
                found.append(schema)
                entry = self._metastore.get_table(TableName(schema, STAGING_ID))
                noted += _former_in(entry.parameters) if entry is not None else ()
        return tuple(found)


def _former_in(parameters: Mapping[str, str]) -> Iterator[str]:
    return (value for key, value in parameters.items() if key.startswith(FORMER))
