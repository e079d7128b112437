"""Every error of a publication, in one tree.

StagingError
├── ConfigurationError          the model's configuration, every problem at once
├── AtomicityNotSupportedError  the level asked for by name can't be reached here
├── StagingSchemaError          there is no schema for the records of versions
├── StorageError                the storage refused a directory or file of ours
├── ConstraintViolationError    rows of the staged version break the model's contract
├── TableAlreadyExistsError     purpose ``create``, and the target is there
├── NoSuchTableError            purpose ``replace``, and the target is not there
├── NoSuchVersionError          no earlier version of the target can be published again
├── ConcurrentWriteError        another writer changed the target since our begin
├── CommitStateUnknownError     nobody can say yet whether the commit happened
├── JobCanceledError            the run was cancelled before the commit call
├── LockLostError               the lock around a change was not got, or ended before it was done
└── MetastoreError              a metastore call failed; what it did is not known
    └── RefusedError            the metastore said no, by name: the call did nothing
        ├── EntryModifiedError      compare-and-swap: the expected value was not there
        ├── EntryExistsError        the entry to create is there already
        ├── EntryMissingError       the entry to change is not there
        └── ColumnsRefusedError     columns may not change their types by position
"""

from collections.abc import Sequence


class StagingError(Exception):
    """What happened, to which table, in what state it was left, and what to do."""

    def __init__(
        self, what: str, *, table: object = None, left: str = "", remedy: str = ""
    ) -> None:
        self.what = what
        self.table = table
        self.left = left
        self.remedy = remedy
        super().__init__(what)

    def __str__(self) -> str:
        lines = [self.what]
        if self.table is not None:
            lines.append(f"  table: {self.table}")
        if self.left:
            lines.append(f"  left: {self.left}")
        if self.remedy:
            lines.append(f"  to do: {self.remedy}")
        return "\n".join(lines)


class ConfigurationError(StagingError):
    """A model's configuration holds values that can't be followed."""

    def __init__(self, model: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        listed = "".join(f"\n  - {problem}" for problem in self.problems)
        noun = "error" if count == 1 else "errors"
        super().__init__(
            f"{count} configuration {noun} in model {model}; no job was started:{listed}"
        )


class AtomicityNotSupportedError(StagingError):
    """The level asked for by name can't be reached on this catalog and connection."""


class StagingSchemaError(StagingError):
    """The schema that holds the records of versions is missing and can't be made."""


class StorageError(StagingError):
    """The storage refused to make, write or read a path of ours."""


class ConstraintViolationError(StagingError):
    """Rows of the staged version break a constraint of the model's contract."""


class TableAlreadyExistsError(StagingError):
    """Purpose ``create`` and the target exists."""


class NoSuchTableError(StagingError):
    """Purpose ``replace`` and the target does not exist."""


class NoSuchVersionError(StagingError):
    """The version to go back to is not there, or is being deleted."""


class ConcurrentWriteError(StagingError):
    """Another writer changed the target between our begin and our commit."""


class CommitStateUnknownError(StagingError):
    """The commit call's fate can't be told; nothing may be deleted."""


class JobCanceledError(StagingError):
    """The run was cancelled; nothing of this model is published."""


class LockLostError(StagingError):
    """The lock was not granted in time, or its server ended it."""


class MetastoreError(StagingError):
    """A metastore call failed, and it may or may not have had its effect."""


class RefusedError(MetastoreError):
    """The metastore refused the call by name: it had no effect."""


class EntryModifiedError(RefusedError):
    """The compare-and-swap found another value than the expected one (HIVE-26882)."""


class EntryExistsError(RefusedError):
    """An entry of that name exists."""


class EntryMissingError(RefusedError):
    """No entry of that name exists."""


class ColumnsRefusedError(RefusedError):
    """``hive.metastore.disallow.incompatible.col.type.changes`` refuses the new columns."""
