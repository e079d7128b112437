"""Storage through a Spark server: files are listed, read and written by its SQL.

What SQL can't delete, the metastore deletes. So the server's and the metastore's rights and file
systems count, and this process needs neither. SQL sees the files that readers see, and those that
a running or killed job has not moved to their place yet; other hidden ones, empty files and empty
directories it does not list. Whether a path is there, it always tells.
"""

import logging
import re
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from pyspark.errors import PySparkException

from .. import quoting
from ..engines.calls import condition, reason
from ..errors import MetastoreError, StorageError
from .client import StoredFile
from .unlisted import are_unlisted, unlisted

logger = logging.getLogger(__name__)

Ask = Callable[[str], Iterable[Mapping[str, Any]]]
"""Run a statement; its rows by the names of their columns."""

FAILURES = (PySparkException, OSError)
MISSING = "PATH_NOT_FOUND"
CLOCK = ".clock-"
SCHEME = "^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?"
"""The beginning of a URI, which a server may spell in another way; a regular expression of Java's,
too."""
SPECIAL = re.compile(r"([\[\]{}*?\\])")
"""What has a meaning in Hadoop's patterns of paths."""
DOLLAR = "[$]"
"""A dollar in such a pattern: Spark takes ``${`` in any statement for a variable."""
WITH_UNFINISHED = "{,/_temporary/*,/_temporary/*/_temporary}"
"""A directory, and those in which Hadoop's committers keep what tasks have written."""
ALL_BELOW = (
    "recursiveFileLookup = 'true', ignoreCorruptFiles = 'false', ignoreMissingFiles = 'false', "
    "ignoredPathSegmentRegex = '^[._]'"
)
"""However the directories are named: they need not be the partitions of one table. And whatever the
session's settings say: a file that can't be looked at is an error, and only hidden ones are not
listed."""
VIEW = "ctas_spark_listing_"
FILES, LINES = "binaryFile", "text"
ALL, EACH_ONCE = "collect_list", "collect_set"
WITHOUT_LIMIT = (
    "let the server return whole results to this user (in Kyuubi, kyuubi.operation.result.max.rows "
    "and kyuubi.watchdog.forcedMaxOutputRows limit them)"
)
NO_COPY = "SQL copies no directory"
CHECK_DELETION = "check that the metastore reaches the storage, and may delete there"


class SqlStorage:
    """Paths are URIs. ``delete`` has the metastore delete a directory, or raises MetastoreError.

    ``by_views``: a query can't have options of a data source, which are new in Spark 4. So each
    listing is a temporary view first.
    """

    def __init__(self, ask: Ask, delete: Callable[[str], None], *, by_views: bool = False) -> None:
        self._ask = ask
        self._delete = delete
        self._by_views = by_views
        self._has_warned = False

    def write(self, path: str, text: str) -> None:
        """Write one line, as the one file of a directory of that name."""
        statement = (
            f"INSERT OVERWRITE DIRECTORY {quoting.string(path)} USING text "
            f"SELECT {quoting.string(text)} AS value"
        )
        with _asking("write", path):
            self._ask(statement)

    def create(self, path: str, text: str) -> bool:
        """No SQL writes only where nothing is: so each writer adds a line, and reads them all.

        One that then finds another's text takes its own back. So of two texts at most one stays
        alone, and both are gone if their writers see each other; two writers of one text agree.
        """
        if self.read(path) is not None:
            return False
        own = f"{path}/{secrets.token_hex(8)}"
        self.write(own, text)
        if self.read(path) == text:
            return True
        self.delete(own)
        return False

    def read(self, path: str) -> str | None:
        """The line; two writers at once may have left it twice."""
        with _asking("read", path):
            lines = self._found("value", _literal(path), LINES, collect=EACH_ONCE)
        return "\n".join(str(one["value"]) for one in lines or ()) or None

    def now_ms(self, directory: str) -> int:
        """Write a file, look at its time, have it deleted."""
        path = f"{directory}/{CLOCK}{secrets.token_hex(4)}"
        self.write(path, "now")
        times = [one.modified_ms for one in self.files(path)]
        try:
            self.delete(path)
        except StorageError as error:
            logger.warning("%s stays: %s", path, error.what)
        if not times:
            raise StorageError(f"{path} was written, and is not there")
        return max(times)

    def qualified(self, path: str) -> str:
        """Look for what is not there: nothing else tells if the server knows the file system."""
        if not re.match(SCHEME, path):
            raise StorageError("it has no scheme, and no SQL tells the server's default one")
        self.exists(f"{path.rstrip('/')}/{CLOCK}{secrets.token_hex(4)}")
        return path

    def exists(self, path: str) -> bool:
        """The server lists all that is below it."""
        with _asking("look at", path):
            return self._is_there(_literal(path))

    def children(self, directory: str, known: Collection[str] | None = None) -> tuple[str, ...]:
        """The names of what has files, whether a job has finished them or not.

        Where there is nothing but known versions, one statement says so, and no job runs.
        """
        if known is None:
            return tuple(sorted(self._names(directory)))

        def fits(pattern: str) -> bool:
            with _asking("list", directory):
                return self._is_there(f"{_literal(directory)}/{pattern}")

        if not are_unlisted(fits, known):
            return ()
        names = self._names(directory)
        return tuple(sorted({*names, *unlisted(fits, {*known, *names})} - {*known}))

    def _names(self, directory: str) -> set[str]:
        above = re.sub(SCHEME, "", directory.rstrip("/"))
        path = f"regexp_replace(path, {quoting.string(SCHEME)}, '')"
        name = f"split_part(substr({path}, {len(above) + 2}), '/', 1)"
        pattern = f"{_literal(directory)}/*{WITH_UNFINISHED}"
        with _asking("list", directory):
            found = self._found(f"{name} AS name", pattern, collect=EACH_ONCE)
        return {str(one["name"]) for one in found or ()}

    def files(self, directory: str) -> tuple[StoredFile, ...]:
        columns = "path, length, unix_millis(modificationTime) AS modified_ms"
        with _asking("list", directory):
            found = self._found(columns, f"{_literal(directory)}{WITH_UNFINISHED}")
        return tuple(
            StoredFile(str(one["path"]), int(one["length"]), int(one["modified_ms"]))
            for one in found or ()
        )

    def modified_ms(self, path: str) -> int | None:  # noqa: ARG002 (SQL tells no directory's)
        """None: a directory is only seen by the files in it, and these have times."""
        return None

    def copy(self, source: str, directory: str) -> None:
        raise StorageError(f"{source} was not copied to {directory}: {NO_COPY}")

    def remove_empty(self, directory: str) -> None:
        """Nothing: SQL does not tell an empty directory from one with hidden files."""

    def make_directory(self, directory: str, like: str) -> None:
        """Nothing: what writes into it makes it."""

    def copy_permissions(self, source: str, directory: str) -> None:
        """No SQL reads or changes permissions: one warning for a run says so."""
        if not self._has_warned:
            self._has_warned = True
            logger.warning(
                "%s has the permissions that the server gives to new directories, as have those of "
                "other new versions: over a server, the permissions of %s can't be read",
                directory,
                source,
            )

    def delete(self, path: str) -> None:
        """A metastore may fail to delete and not say so; a task may write there meanwhile."""
        self._have_deleted(path)
        if not self.exists(path):
            return
        left = self.files(path)
        self._have_deleted(path)
        if self.exists(path) and (not left or {*left} & {*self.files(path)}):
            raise StorageError(
                f"the metastore was asked twice to delete {path} and reported no error, but the "
                "files are still there",
                left="the directory stays",
                remedy=CHECK_DELETION,
            )

    def _have_deleted(self, path: str) -> None:
        try:
            self._delete(path)
        except MetastoreError as error:
            raise StorageError(
                f"the metastore did not delete {path}: {error.what}",
                left="the directory stays",
                remedy=CHECK_DELETION,
            ) from error

    def _found(
        self, columns: str, pattern: str, file_format: str = FILES, *, collect: str = ALL
    ) -> list[Mapping[str, Any]] | None:
        """What is in the files; None where the server says that there is nothing at the path.

        The rows come with their number: a server may cut off what is more than its limit. One task
        counts them, because a shuffle of a few rows would take as long as all the rest.
        """
        with suppress(_NothingThereError), self._relation(pattern, file_format) as relation:
            listed = f"SELECT /*+ COALESCE(1) */ {columns} FROM {relation}"  # noqa: S608 (quoted)
            rows = f"SELECT {collect}(struct(*)) AS found FROM ({listed})"  # noqa: S608 (as above)
            each = f"({rows}) LATERAL VIEW inline(found) one"
            found = list(self._ask(f"SELECT size(found) AS listed, one.* FROM {each}"))  # noqa: S608
            if found and int(found[0]["listed"]) != len(found):
                raise StorageError(
                    f"the server returned {len(found)} of the {found[0]['listed']} rows of a "
                    f"listing of {pattern}: it limits results",
                    remedy=WITHOUT_LIMIT,
                )
            return found
        return None

    def _is_there(self, pattern: str) -> bool:
        """By a query that is only analysed; a view is when it is created."""
        with suppress(_NothingThereError), self._relation(pattern, FILES) as relation:
            if not self._by_views:
                self._ask(f"DESCRIBE QUERY SELECT path FROM {relation}")  # noqa: S608 (quoted)
            return True
        return False

    @contextmanager
    def _relation(self, pattern: str, file_format: str) -> Iterator[str]:
        """All files below what fits the pattern; _NothingThereError if nothing does."""
        with _no_path():
            if not self._by_views:
                yield f"{file_format}.{quoting.identifier(pattern)} WITH ({ALL_BELOW})"
                return
            view = quoting.identifier(f"{VIEW}{secrets.token_hex(8)}")
            path = f"path = {quoting.string(pattern)}"
            self._ask(
                f"CREATE TEMPORARY VIEW {view} USING {file_format} OPTIONS ({path}, {ALL_BELOW})"
            )
            try:
                yield view
            finally:
                self._ask(f"DROP VIEW {view}")


class _NothingThereError(Exception):
    pass


@contextmanager
def _no_path() -> Iterator[None]:
    try:
        yield
    except PySparkException as error:
        if condition(error) != MISSING:
            raise
        raise _NothingThereError from error


@contextmanager
def _asking(action: str, path: str) -> Iterator[None]:
    """Raise StorageError for whatever fails in a block that does ``action`` to ``path``."""
    try:
        yield
    except FAILURES as error:
        raise StorageError(
            f"the server could not {action} {path}: {reason(error)}",
            remedy="check that the server's user may do that there",
        ) from error


def _literal(path: str) -> str:
    """The pattern that means this path alone."""
    return SPECIAL.sub(r"\\\1", path.rstrip("/")).replace("$", DOLLAR)
