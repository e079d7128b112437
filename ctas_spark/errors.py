"""Every error that a user meets, in one tree; docs/errors.md says of each what to do.

StagingError                        PUBLICATION_FAILED
├── ConfigurationError              INVALID_CONFIGURATION    of a model, every problem at once
├── ProfileError                    INVALID_PROFILE          of a profile, every problem at once
├── InvalidArgumentError            INVALID_ARGUMENT         of a run-operation
├── OperationIncompleteError        OPERATION_INCOMPLETE     for some of several tables
├── PythonModelError                PYTHON_MODEL_FAILED      in its own code, before any job
├── NoSuchModelError                NO_SUCH_MODEL            for a run-operation
├── NoSuchCatalogError              NO_SUCH_CATALOG          Spark knows no such catalog
├── NoSuchSchemaError               NO_SUCH_SCHEMA           the target's
├── StagingSchemaError              NO_STAGING_SCHEMA        there is no place for records
├── FormatNotFoundError             FORMAT_NOT_FOUND         a jar is missing
├── NotSupportedError               NOT_SUPPORTED            not here, at any level
│   └── AtomicityNotSupportedError  ATOMICITY_NOT_SUPPORTED  not here, at this level
├── ProbeFailedError                PROBE_FAILED             what a catalog does is not known
├── ClientNotInstalledError         CLIENT_NOT_INSTALLED     a Python package is missing
├── ServerNotReachedError           SERVER_NOT_REACHED       a Spark server, or a master
├── MetastoreNotReachedError        METASTORE_NOT_REACHED    the addresses are wrong, or it is down
├── SparkNotStartedError            SPARK_NOT_STARTED        in this process
├── SparkEndedError                 SPARK_ENDED              while it was used
├── AnswerLostError                 ANSWER_LOST              a statement may have run or not
├── ConstraintViolationError        CONSTRAINT_VIOLATION     rows break the contract
├── DuplicateKeyError               DUPLICATE_KEY            of a merge; the query raises it
├── InvalidSeedValueError           INVALID_SEED_VALUE       the query raises it, too
├── TableAlreadyExistsError         TABLE_ALREADY_EXISTS     purpose create
├── NoSuchTableError                NO_SUCH_TABLE            purpose replace
├── NoSuchVersionError              NO_SUCH_VERSION          nothing to go back to
├── NoCheckpointError               NO_CHECKPOINT            a stream can't go on from a version
├── ShadowedError                   SHADOWED                 a temporary object has its path
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
    ├── MetastoreUnfinishedError    METASTORE_UNFINISHED     an embedded one, by a broken-off run
    └── RefusedError                METASTORE_REFUSED        the call did nothing
        ├── EntryModifiedError      ENTRY_MODIFIED           compare-and-swap (HIVE-26882)
        ├── EntryExistsError        ENTRY_EXISTS             the one to create
        ├── EntryMissingError       ENTRY_MISSING            the one to change
        └── ColumnsRefusedError     COLUMNS_REFUSED          by position, types may not change
"""

import re
from collections.abc import Sequence
from typing import ClassVar

FRAME = re.compile(
    r"^\s+at [\w$.<>/@-]+\(|^\s+\.\.\. \d+ (more|common)|^\s*at java\.|^(Driver|JVM) stacktrace:"
)
"""A line of a Java stack."""


def without_frames(text: str) -> str:
    """The text without the lines of Java's stacks, which servers send as a part of their words."""
    return "\n".join(line for line in text.splitlines() if not FRAME.match(line))


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
        labelled = {"table": self.table, "left": self.left, "to do": self.remedy}
        lines = (f"  {label}: {text}" for label, text in labelled.items() if text)
        return without_frames("\n".join((f"[{self.name}] {self.what}", *lines)))


class ConfigurationError(StagingError):
    """A model's configuration holds values that can't be followed."""

    name = "INVALID_CONFIGURATION"

    def __init__(self, node: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        where = f"{node}; no job was started"
        super().__init__(_listed("configuration error", where, self.problems))


class ProfileError(StagingError):
    name = "INVALID_PROFILE"

    @classmethod
    def of(cls, problems: Sequence[str]) -> "ProfileError":
        """The error that lists the problems of single fields."""
        return cls(_listed("error", "the profile; nothing was started", problems))


class InvalidArgumentError(StagingError):
    name = "INVALID_ARGUMENT"


class OperationIncompleteError(StagingError):
    name = "OPERATION_INCOMPLETE"


class PythonModelError(StagingError):
    name = "PYTHON_MODEL_FAILED"


class NoSuchModelError(StagingError):
    name = "NO_SUCH_MODEL"


class NoSuchCatalogError(StagingError):
    name = "NO_SUCH_CATALOG"


class NoSuchSchemaError(StagingError):
    name = "NO_SUCH_SCHEMA"


class StagingSchemaError(StagingError):
    name = "NO_STAGING_SCHEMA"


class FormatNotFoundError(StagingError):
    name = "FORMAT_NOT_FOUND"


class NotSupportedError(StagingError):
    name = "NOT_SUPPORTED"


class AtomicityNotSupportedError(NotSupportedError):
    name = "ATOMICITY_NOT_SUPPORTED"


class ProbeFailedError(StagingError):
    name = "PROBE_FAILED"


class ClientNotInstalledError(StagingError):
    name = "CLIENT_NOT_INSTALLED"


class ServerNotReachedError(StagingError):
    name = "SERVER_NOT_REACHED"


class MetastoreNotReachedError(StagingError):
    name = "METASTORE_NOT_REACHED"


class SparkNotStartedError(StagingError):
    name = "SPARK_NOT_STARTED"


class SparkEndedError(StagingError):
    name = "SPARK_ENDED"


class AnswerLostError(StagingError):
    name = "ANSWER_LOST"


class ConstraintViolationError(StagingError):
    name = "CONSTRAINT_VIOLATION"


class DuplicateKeyError(StagingError):
    """Only its name: Spark raises it in the middle of a job, in the words of the query."""

    name = "DUPLICATE_KEY"


class InvalidSeedValueError(StagingError):
    """Only its name, as with a duplicate key."""

    name = "INVALID_SEED_VALUE"


class TableAlreadyExistsError(StagingError):
    name = "TABLE_ALREADY_EXISTS"


class NoSuchTableError(StagingError):
    name = "NO_SUCH_TABLE"


class NoSuchVersionError(StagingError):
    name = "NO_SUCH_VERSION"


class NoCheckpointError(StagingError):
    name = "NO_CHECKPOINT"


class ShadowedError(StagingError):
    name = "SHADOWED"


class StagedVersionGoneError(StagingError):
    name = "STAGED_VERSION_GONE"


class StagedVersionIncompleteError(StagingError):
    name = "STAGED_VERSION_INCOMPLETE"


class ConcurrentWriteError(StagingError):
    name = "CONCURRENT_WRITE"


class CommitRefusedError(StagingError):
    name = "COMMIT_REFUSED"


class CommitStateUnknownError(StagingError):
    name = "COMMIT_STATE_UNKNOWN"


class JobCanceledError(StagingError):
    name = "JOB_CANCELED"


class LockLostError(StagingError):
    name = "LOCK_LOST"


class StorageError(StagingError):
    name = "STORAGE_FAILED"


class MetastoreError(StagingError):
    name = "METASTORE_CALL_FAILED"


class MetastoreInUseError(MetastoreError):
    name = "METASTORE_IN_USE"


class MetastoreUnfinishedError(MetastoreError):
    name = "METASTORE_UNFINISHED"


class RefusedError(MetastoreError):
    name = "METASTORE_REFUSED"


class EntryModifiedError(RefusedError):
    name = "ENTRY_MODIFIED"


class EntryExistsError(RefusedError):
    name = "ENTRY_EXISTS"


class EntryMissingError(RefusedError):
    name = "ENTRY_MISSING"


class ColumnsRefusedError(RefusedError):
    """``hive.metastore.disallow.incompatible.col.type.changes`` refuses the new columns."""

    name = "COLUMNS_REFUSED"


def _listed(noun: str, where: str, problems: Sequence[str]) -> str:
    plural = "" if len(problems) == 1 else "s"
    lines = "".join(f"\n  - {problem}" for problem in problems)
    return f"{len(problems)} {noun}{plural} in {where}:{lines}"
