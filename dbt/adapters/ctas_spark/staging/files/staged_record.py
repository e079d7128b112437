"""The record of one attempt, from the statement that makes it to the commit that needs it."""

from dataclasses import dataclass, replace

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError
from dbt.adapters.ctas_spark.staging.files.base import FileBase
from dbt.adapters.ctas_spark.staging.files.record import Record, RecordState, move, name_of
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish import messages


@dataclass(slots=True)
class StagedRecord:
    """Read once, when the commit begins; from then on only our own moves change it.

    ``found`` is None until then. ``publishes_again``: the version was published before.
    """

    context: StagingContext
    services: Services
    version: str
    base: FileBase
    found: Record | None = None
    publishes_again: bool = False

    @property
    def name(self) -> TableName:
        """Its entry, which readers of the staged data select from."""
        return name_of(self.context.staging_schema, self.context.target, self.version)

    def to_parameters(self, root: str) -> dict[str, str]:
        """What the CTAS of the version says of it."""
        record = Record(
            target=str(self.context.target),
            version=self.version,
            state=RecordState.STAGED,
            base=str(self.base),
            root=root,
            took_over=self.base.managed_directory,
        )
        return record.to_parameters()

    def write(self, root: str) -> None:
        """Write it after a CTAS that could not say it: Delta's properties are in its log."""
        entry = self.services.metastore.get_table(self.name)
        if entry is None:
            raise self._gone()
        marked = {**entry.parameters, **self.to_parameters(root)}
        self.services.metastore.alter_table(EntryChange(self.name, entry, entry, marked), None)

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
        services = self.services
        try:
            self.found = move(services.metastore, moved, record, conditional=services.conditional)
        except EntryModifiedError as error:
            raise messages.swept(self.context.target, messages.unchanged(self.base)) from error

    def _read(self) -> Record:
        if self.found is None:
            entry = self.services.metastore.get_table(self.name)
            if entry is None:
                raise self._gone()
            self.found = Record.of(entry)
        if self.found is None or self.found.state is RecordState.DELETING:
            raise messages.swept(self.context.target, messages.unchanged(self.base))
        return self.found

    def _gone(self) -> Exception:
        left = messages.unchanged(self.base)
        return messages.record_gone(self.context.target, self.name, left)
