"""What one attempt has staged: its record, and its files, whole."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, StagingError
from dbt.adapters.ctas_spark.staging.files.base import FileBase
from dbt.adapters.ctas_spark.staging.files.record import Record, RecordState, move
from dbt.adapters.ctas_spark.staging.files.table import FileTable
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, TableEntry
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.storage.client import Storage, data_files

EXACT = ("file:", "/", "hdfs:", "viewfs:")
"""Where Spark's own committers write, and count the very bytes that then lie there."""


@dataclass(slots=True)
class StagedRecord:
    """Read once, when the commit begins; from then on only our own moves change it.

    ``found`` is None until then. ``publishes_again``: the version was published before.
    """

    table: FileTable
    version: str
    base: FileBase
    found: Record | None = None
    publishes_again: bool = False

    @property
    def name(self) -> TableName:
        """Its entry, which readers of the staged data select from."""
        return self.table.record_name(self.version)

    def to_parameters(self, root: str) -> dict[str, str]:
        """What the CTAS of the version says of it."""
        record = Record(
            target=str(self.table.name),
            version=self.version,
            state=RecordState.STAGED,
            base=str(self.base),
            root=root,
            took_over=self.base.managed_directory,
        )
        return record.to_parameters()

    def write(self, root: str) -> None:
        """Write it after a CTAS that could not say it: Delta's properties are in its log."""
        entry = self.table.metastore.get_table(self.name)
        if entry is None:
            raise self._gone()
        marked = {**entry.parameters, **self.to_parameters(root)}
        self.table.metastore.alter_table(EntryChange.of(entry, marked), None)

    def entry(self) -> TableEntry:
        """The staged entry, as it is published.

        Raises:
            StagedVersionGoneError: somebody removed it.
            ConcurrentWriteError: a clean-up took the version.
        """
        entry = self._read().entry
        if entry is None:
            raise self._gone()
        return entry

    def rebase(self, over: FileBase) -> None:
        """Say by compare-and-swap what the commit call expects; nothing if it says so already.

        Raises:
            ConcurrentWriteError: a clean-up took the version.
        """
        record = self._read()
        if record.base == str(over) and not self.publishes_again:
            return
        moved = replace(
            record,
            base=str(over),
            took_over=over.managed_directory or record.took_over,
            state=RecordState.PUBLISHED if self.publishes_again else record.state,
            superseded_ms=None,
        )
        services = self.table.services
        try:
            self.found = move(services.metastore, moved, record, conditional=services.conditional)
        except EntryModifiedError as error:
            raise messages.swept(self.table.name, messages.unchanged(self.base)) from error

    def _read(self) -> Record:
        if self.found is None:
            entry = self.table.metastore.get_table(self.name)
            if entry is None:
                raise self._gone()
            self.found = Record.of(entry)
        if self.found is None or self.found.state is RecordState.DELETING:
            raise messages.swept(self.table.name, messages.unchanged(self.base))
        return self.found

    def _gone(self) -> Exception:
        left = messages.unchanged(self.base)
        return messages.record_gone(self.table.name, self.name, left)


def written(
    storage: Storage, directory: str, counted: WriteFigures, gone: Callable[[str], StagingError]
) -> WriteFigures:
    """What has to stand until the commit: the figures, or a listing where nobody counted.

    Args:
        gone: makes the error, from what is missing.

    Raises:
        StagingError: the directory is not there.
    """
    if not storage.exists(directory):
        raise gone(f"its directory {directory} is not there")
    return counted if counted.files is not None else _listed(storage, directory)


def check_whole(
    storage: Storage, directory: str, wanted: WriteFigures, gone: Callable[[str], StagingError]
) -> None:
    """List the directory once more.

    Raises:
        StagingError: fewer files than the job wrote, or others.
    """
    now, exact = _listed(storage, directory), directory.startswith(EXACT)
    found, expected = now.files or 0, wanted.files or 0
    if found < expected or (exact and found > expected):
        raise gone(f"{directory} has {found} data files, and the job wrote {expected}")
    if exact and wanted.bytes is not None and now.bytes != wanted.bytes:
        raise gone(f"{directory} has {now.bytes} bytes, and the job wrote {wanted.bytes}")


def _listed(storage: Storage, directory: str) -> WriteFigures:
    found = data_files(storage.files(directory), directory)
    return WriteFigures(files=len(found), bytes=sum(one.bytes for one in found))
