"""Every error that a user meets, in one tree; docs/errors.md says of each what to do.

StagingError                        PUBLICATION_FAILED
├── ConfigurationError              INVALID_CONFIGURATION    of a model, every problem at once
├── ProfileError                    INVALID_PROFILE          of a profile, every problem at once
├── InvalidArgumentError            INVALID_ARGUMENT         of a run-operation
├── NoSuchModelError                NO_SUCH_MODEL            for a run-operation
├── NoSuchCatalogError              NO_SUCH_CATALOG          Spark knows no such catalog
├── NoSuchSchemaError               NO_SUCH_SCHEMA           the target's
├── StagingSchemaError              NO_STAGING_SCHEMA        there is no place for records
├── FormatNotFoundError             FORMAT_NOT_FOUND         a jar is missing
├── NotSupportedError               NOT_SUPPORTED            not here, at any level
│   └── AtomicityNotSupportedError  ATOMICITY_NOT_SUPPORTED  not here, at this level
├── ProbeFailedError                PROBE_FAILED             what a catalog does is not known
├── ClientNotInstalledError         CLIENT_NOT_INSTALLED     a Python package is missing
├── ServerNotReachedError           SERVER_NOT_REACHED       of method connect or thrift
├── SparkNotStartedError            SPARK_NOT_STARTED        in this process
├── SparkEndedError                 SPARK_ENDED              while it was used
├── AnswerLostError                 ANSWER_LOST              a statement may have run or not
├── ConstraintViolationError        CONSTRAINT_VIOLATION     rows break the contract
├── TableAlreadyExistsError         TABLE_ALREADY_EXISTS     purpose create
├── NoSuchTableError                NO_SUCH_TABLE            purpose replace
├── NoSuchVersionError              NO_SUCH_VERSION          nothing to go back to
├── StagedVersionGoneError          STAGED_VERSION_GONE      another removed it
├── StagedVersionIncompleteError    STAGED_VERSION_INCOMPLETE  it lacks what the job wrote
├── ConcurrentWriteError            CONCURRENT_WRITE         another changed the target
├── CommitRefusedError              COMMIT_REFUSED           the catalog said no to it
├── CommitStateUnknownError         COMMIT_STATE_UNKNOWN     nobody can say if it happened
├── JobCanceledError                JOB_CANCELED             before the commit call
├── LockLostError                   LOCK_LOST                not granted, or ended early
├── StorageError                    STORAGE_FAILED           a directory or a file was refused
└── MetastoreError                  METASTORE_CALL_FAILED    what the call did is not known
    ├── MetastoreInUseError         METASTORE_IN_USE         an embedded one serves one process
    └── RefusedError                METASTORE_REFUSED        the call did nothing
        ├── EntryModifiedError      ENTRY_MODIFIED           compare-and-swap (HIVE-26882)
        ├── EntryExistsError        ENTRY_EXISTS             the one to create
        ├── EntryMissingError       ENTRY_MISSING            the one to change
        └── ColumnsRefusedError     COLUMNS_REFUSED          by position, types may not change
"""

from collections.abc import Sequence
from typing import ClassVar


class StagingError(Exception):
    """What happened, to which table, in what state it was left, and what to do.

    The text begins with ``[name]``. Names are stable: people and scripts search for them. A
    subclass in another module, which only code tells apart, keeps its parent's name.
    """

    name: ClassVar[str] = "PUBLICATION_FAILED"

    def __init__(
        self, what: str, *, table: object = None, left: str = "", remedy: str = ""
    ) -> None:
        self.what = what
        self.table = table
        self.left = left
        self.remedy = remedy
        super().__init__(what)

    def __str__(self) -> str:
        lines = [f"[{self.name}] {self.what}"]
        if self.table is not None:
            lines.append(f"  table: {self.table}")
        if self.left:
            lines.append(f"  left: {self.left}")
        if self.remedy:
            lines.append(f"  to do: {self.remedy}")
        return "\n".join(lines)


class ConfigurationError(StagingError):
    """A model's configuration holds values that can't be followed."""

    name = "INVALID_CONFIGURATION"

    def __init__(self, model: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        where = f"model {model}; no job was started"
        super().__init__(_listed("configuration error", where, self.problems))


class ProfileError(StagingError):
    """The profile holds values that can't be followed."""

    name = "INVALID_PROFILE"

    @classmethod
    def of(cls, problems: Sequence[str]) -> "ProfileError":
        """The error that lists the problems of single fields."""
        return cls(_listed("error", "the profile; nothing was started", problems))


class InvalidArgumentError(StagingError):
    """An argument of a run-operation is of no use."""

    name = "INVALID_ARGUMENT"


class NoSuchModelError(StagingError):
    """The project has no model of that name that is published as a table."""

    name = "NO_SUCH_MODEL"


class NoSuchCatalogError(StagingError):
    """Spark has no catalog of that name."""

    name = "NO_SUCH_CATALOG"


class NoSuchSchemaError(StagingError):
    """The target's schema does not exist."""

    name = "NO_SUCH_SCHEMA"


class StagingSchemaError(StagingError):
    """The schema that holds the records of versions is missing, or names no location."""

    name = "NO_STAGING_SCHEMA"


class FormatNotFoundError(StagingError):
    """Spark has no classes for the format: a jar is missing."""

    name = "FORMAT_NOT_FOUND"


class NotSupportedError(StagingError):
    """This catalog, server or connection does not do what was asked."""

    name = "NOT_SUPPORTED"


class AtomicityNotSupportedError(NotSupportedError):
    """The level can't be reached on this catalog and connection, for this model."""

    name = "ATOMICITY_NOT_SUPPORTED"


class ProbeFailedError(StagingError):
    """A probe on a scratch table could not find out what a catalog does."""

    name = "PROBE_FAILED"


class ClientNotInstalledError(StagingError):
    """The profile's method needs Python packages that are not installed."""

    name = "CLIENT_NOT_INSTALLED"


class ServerNotReachedError(StagingError):
    """The Spark server of the profile does not answer, or does not let the user in."""

    name = "SERVER_NOT_REACHED"


class SparkNotStartedError(StagingError):
    """Spark did not start in this process."""

    name = "SPARK_NOT_STARTED"


class SparkEndedError(StagingError):
    """Spark, or the session on its server, ended while it was used."""

    name = "SPARK_ENDED"


class AnswerLostError(StagingError):
    """A server did not answer a statement: it may have run, or may still run."""

    name = "ANSWER_LOST"


class ConstraintViolationError(StagingError):
    """Rows of the staged version break a constraint of the model's contract."""

    name = "CONSTRAINT_VIOLATION"


class TableAlreadyExistsError(StagingError):
    """Purpose ``create`` and the target exists."""

    name = "TABLE_ALREADY_EXISTS"


class NoSuchTableError(StagingError):
    """Purpose ``replace`` and the target does not exist."""

    name = "NO_SUCH_TABLE"


class NoSuchVersionError(StagingError):
    """The version to go back to is not there, or is being deleted."""

    name = "NO_SUCH_VERSION"


class StagedVersionGoneError(StagingError):
    """Another removed the staged version's record or files before it was published."""

    name = "STAGED_VERSION_GONE"


class StagedVersionIncompleteError(StagingError):
    """The staged version lacks something that its job wrote."""

    name = "STAGED_VERSION_INCOMPLETE"


class ConcurrentWriteError(StagingError):
    """Another writer changed the target between our begin and our commit."""

    name = "CONCURRENT_WRITE"


class CommitRefusedError(StagingError):
    """The catalog refused the commit itself, and no other writer was the cause."""

    name = "COMMIT_REFUSED"


class CommitStateUnknownError(StagingError):
    """The commit call's fate can't be told; nothing may be deleted."""

    name = "COMMIT_STATE_UNKNOWN"


class JobCanceledError(StagingError):
    """The run was cancelled; nothing of this model is published."""

    name = "JOB_CANCELED"


class LockLostError(StagingError):
    """The lock was not granted in time, or its server ended it."""

    name = "LOCK_LOST"


class StorageError(StagingError):
    """The storage refused to make, write, read or delete a path of ours."""

    name = "STORAGE_FAILED"


class MetastoreError(StagingError):
    """A metastore call failed, and it may or may not have had its effect."""

    name = "METASTORE_CALL_FAILED"


class MetastoreInUseError(MetastoreError):
    """Another process has the embedded metastore open."""

    name = "METASTORE_IN_USE"


class RefusedError(MetastoreError):
    """The metastore refused the call by name: it had no effect."""

    name = "METASTORE_REFUSED"


class EntryModifiedError(RefusedError):
    """The compare-and-swap found another value than the expected one (HIVE-26882)."""

    name = "ENTRY_MODIFIED"


class EntryExistsError(RefusedError):
    """An entry of that name exists."""

    name = "ENTRY_EXISTS"


class EntryMissingError(RefusedError):
    """No entry of that name exists."""

    name = "ENTRY_MISSING"


class ColumnsRefusedError(RefusedError):
    """``hive.metastore.disallow.incompatible.col.type.changes`` refuses the new columns."""

    name = "COLUMNS_REFUSED"


def _listed(noun: str, where: str, problems: Sequence[str]) -> str:
    plural = "" if len(problems) == 1 else "s"
    lines = "".join(f"\n  - {problem}" for problem in problems)
    return f"{len(problems)} {noun}{plural} in {where}:{lines}"
