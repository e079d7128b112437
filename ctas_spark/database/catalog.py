"""A database behind a JDBC catalog of Spark: a rename publishes a table, nothing replaces one."""

from collections.abc import Iterator
from typing import Any

from ..clock import SYSTEM_CLOCK, Clock
from ..context import Atomicity, OnConflict, StagingContext
from ..engines.protocol import Job
from ..errors import ConfigurationError, NoSuchVersionError
from ..publish import messages
from ..publish.catalog import Capabilities, ConflictCheck, StagingCatalog
from ..publish.purposes import problems_of_any
from ..publish.rollback import RolledBack
from ..publish.staged_table import Plan
from ..redaction import HIDDEN
from ..retention.clean_up import swept
from ..retention.rules import Event, RetentionRules, Sweep
from ..statement.tables import asking
from ..steps import Step, StepReport
from .by_rename import DatabaseGarbage, RenamedVersion
from .tables import DRIVER, MOST_OF_A_NAME, NAME, POSTGRESQL, RESERVED, Database

REACHED = Capabilities("postgresql", ConflictCheck.CAS, Atomicity.ISOLATED)
NOT_TRIED = (
    "its database is not PostgreSQL, and it is not known whether any other refuses to rename a "
    "table to a name that is taken"
)

REMEDY = (
    "use PostgreSQL, or another catalog; over Thrift, where a URL is hidden, PostgreSQL's is known "
    f"by spark.sql.catalog.{{}}.driver: {DRIVER}"
)


def open_database(spark: Any, context: StagingContext, clock: Clock = SYSTEM_CLOCK) -> Database:
    """The database of a session, local or remote; AtomicityNotSupportedError if nobody tried it."""
    name = context.target.catalog
    options = (f"spark.sql.catalog.{name}.{option}" for option in ("url", "driver"))
    url, driver = (str(spark.conf.get(option, None)) for option in options)
    if not url.startswith(POSTGRESQL) and (url, driver) != (HIDDEN, DRIVER):
        what = f"the JDBC catalog {name} reaches no level: {NOT_TRIED}"
        raise messages.unsupported(context.target, what, REMEDY.format(name))
    return Database(asking(spark), name, clock)


class DatabaseCatalog(StagingCatalog):
    """A ``StagingCatalog`` that needs no staging schema: a rename stays within the target's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def capabilities(self, staging_schema: str) -> Capabilities:  # noqa: ARG002 (of none)
        return REACHED

    def plan(self, context: StagingContext, job: Job) -> Plan:
        """Wrong configs are no NotSupportedError: after that, a seed is built in another way.

        Raises:
            ConfigurationError: a table in a database does not have what the model asks for.
            AtomicityNotSupportedError: it asks for ``none``.
        """
        problems = [*problems_of_any(context, "a database"), *_problems(context)]
        if problems and context.atomicity is Atomicity.NONE:
            raise messages.unsupported(context.target, "; ".join(problems), remedy="")
        if problems:
            raise ConfigurationError(str(context.target), problems)
        return Plan(
            context,
            REACHED.level_for(context.atomicity, context.target),
            job,
            lambda _level, report: RenamedVersion(context, self._database, report),
            self._database.clock,
        )

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Drop what old attempts have left; no version is superseded, because none is replaced."""
        report = StepReport(context.target)
        with report.within(Step.CLEAN_UP):
            garbage = DatabaseGarbage(context.target, self._database)
            return swept([garbage], rules, report, dry_run=dry_run)

    def history(self, context: StagingContext) -> tuple[Event, ...]:  # noqa: ARG002 (of none)
        """Nothing: a table in a database has no marker."""
        return ()

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:  # noqa: ARG002
        raise NoSuchVersionError(
            "a table in a database has the one version that was published, and no earlier one",
            table=context.target,
            left="it is unchanged",
            remedy="use the database's own way back, such as its backups",
        )


def _problems(context: StagingContext) -> Iterator[str]:
    """What Spark's JDBC catalog refuses only after the hooks, or does in another way."""
    layout, table = context.layout, context.target.table
    if not NAME.fullmatch(table) or len(table) > MOST_OF_A_NAME:
        yield (
            f"alias: Spark renames to {table!r} without quotes, and the database would use another "
            f"name; use at most {MOST_OF_A_NAME} lower-case letters, digits and underscores"
        )
    if table in RESERVED:
        yield f"alias: {table!r} is a reserved word, which Spark writes without quotes; use another"
    if layout.format_given:
        yield "file_format: a database has a format of its own; remove it"
    if layout.partition_by or layout.clustered_by:
        yield "partition_by, clustered_by: Spark's JDBC catalog has neither; remove them"
    if layout.location_root is not None:
        yield "location_root: a database places its tables itself; remove it"
    if layout.column_comments:
        yield "persist_docs: Spark's JDBC catalog has no comments of columns; set relation alone"
    if context.on_conflict is OnConflict.OVERWRITE:
        yield "on_conflict: overwrite replaces a table, which is impossible here; remove it"
