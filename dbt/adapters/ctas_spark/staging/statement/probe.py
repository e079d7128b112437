"""Whether a catalog's staging keeps what is declared of it, tried on a scratch table.

That a class implements Spark's ``StagingTableCatalog`` proves nothing: there are catalogs that
truncate the live table before they write, and catalogs whose abort deletes it.
"""

import logging
from collections.abc import Callable, Iterator
from functools import partial

from dbt.adapters.ctas_spark.staging.context import Atomicity, TableLayout, TableName
from dbt.adapters.ctas_spark.staging.errors import MetastoreError, ProbeFailedError
from dbt.adapters.ctas_spark.staging.files.records import record_name
from dbt.adapters.ctas_spark.staging.publish.marker import COMMIT, TARGET
from dbt.adapters.ctas_spark.staging.quoting import table as quoted
from dbt.adapters.ctas_spark.staging.statement import statement
from dbt.adapters.ctas_spark.staging.statement.calls import core_errors
from dbt.adapters.ctas_spark.staging.statement.services import StatementServices
from dbt.adapters.ctas_spark.staging.statement.staged_change import Stage, StagedChange

logger = logging.getLogger(__name__)

SCRATCH = "ctas_spark_probe"
PROBE = "probe"
BROKEN = "ctas_spark_probe broke this statement"
OLD, OLD_ROWS = "SELECT 1 AS old", (("old",), (1,))
THEIRS = "SELECT 3 AS theirs"
NEW, NEW_ROWS = "SELECT 2 AS new", (("new",), (2,))
FAILS = f"SELECT CAST(raise_error('{BROKEN}') AS INT) AS new FROM range(1)"  # noqa: S608 (constants)
STAGES = (Stage.REPLACE, Stage.CREATE_OR_REPLACE)
INSERT, REPLACE, DROP = "an INSERT", "a replace", "a DROP"

Seen = str | None
"""What contradicts a declaration, as a sentence; None if nothing does."""


def scratch(catalog: str, staging_schema: str) -> TableName:
    """What a probe's tables are staged for; there is never a table of that name."""
    return TableName(staging_schema, SCRATCH, catalog)


class Probe:
    """One catalog, one declared level; the scratch table is named like a staged one.

    So what a killed probe leaves behind leads to its run's lease, and goes like any staged table.
    """

    def __init__(
        self, services: StatementServices, staging_schema: str, layout: TableLayout
    ) -> None:
        self._tables = services.in_single_calls()
        self._services = services
        self._schema = staging_schema
        self._layout = TableLayout(layout.file_format, format_given=layout.format_given)
        self._scratch = scratch(self._tables.name, staging_schema)
        self._own = {COMMIT: PROBE, TARGET: str(self._scratch)}
        self._version = ""
        self._name = self._scratch

    def disagreement(self, level: Atomicity) -> Seen:
        """What the catalog does that ``level`` rules out.

        Raises:
            ProbeFailedError: it could not be found out.
        """
        checks = [*self._checks_of_atomic()]
        if level is Atomicity.ISOLATED:
            checks += self._checks_of_isolated()
        return next((seen for check in checks if (seen := self._on_scratch(check))), None)

    def _on_scratch(self, check: Callable[[], Seen]) -> Seen:
        """Run a check on a scratch table of its own, which goes in any case."""
        self._version = self._services.lease.new_version()
        self._services.lease.beat(self._services.leases(self._schema))
        name = record_name(self._schema, self._scratch, self._version)
        self._name = TableName(name.database, name.table, self._tables.name)
        try:
            self._sql(statement.create_as(self._name, self._layout, self._own, OLD))
            self._expect_old()
            return check()
        except MetastoreError as error:
            raise self._not_found_out(str(error)) from error
        finally:
            self._remove()

    def _remove(self) -> None:
        try:
            if self._tables.find(self._name) is not None:
                self._tables.drop(self._name)
        except MetastoreError as error:
            logger.warning("the probe's table %s stays for now: %s", self._name, error)
        else:
            self._services.lease.resolved(self._version)

    def _checks_of_atomic(self) -> Iterator[Callable[[], Seen]]:
        yield self._keeps_properties
        yield self._survives_a_replace_that_fails
        for how in STAGES:
            yield partial(self._shows_nothing_until_aborted, how)
            yield partial(self._shows_all_when_committed, how)

    def _checks_of_isolated(self) -> Iterator[Callable[[], Seen]]:
        yield self._shows_a_commit_of_rows
        for what in (INSERT, REPLACE, DROP):
            yield partial(self._refuses_a_commit_over, what)

    def _keeps_properties(self) -> Seen:
        facts = self._tables.find(self._name)
        if facts is not None and facts.properties.get(COMMIT) == PROBE:
            return None
        return "a table's properties were gone, by which one tells what became of a commit"

    def _survives_a_replace_that_fails(self) -> Seen:
        try:
            self._sql(statement.replace_as(self._name, self._layout, {}, FAILS))
        except MetastoreError as error:
            if BROKEN not in str(error):
                raise
            return self._unless_old("after a replace whose data failed")
        raise self._not_found_out("a replace whose data fails ended without an error")

    def _shows_nothing_until_aborted(self, how: Stage) -> Seen:
        change = self._staged(how)
        seen = self._unless_old(f"between {how.value} and its commit")
        change.abort()
        return seen or self._unless_old(f"after {how.value} and abortStagedChanges")

    def _shows_all_when_committed(self, how: Stage) -> Seen:
        self._staged(how).commit()
        rows = self._tables.rows(self._name)
        if rows == NEW_ROWS:
            return None
        return f"after {how.value} and commitStagedChanges {_described(rows)}"

    def _shows_a_commit_of_rows(self) -> Seen:
        before = self._tables.find(self._name)
        self._rival(INSERT)
        if self._tables.find(self._name) != before:
            return None
        return "the table looked the same before and after an INSERT: it says no version to Spark"

    def _refuses_a_commit_over(self, what: str) -> Seen:
        """Whatever error it is: that the rival's rows are still there decides, too."""
        change = self._staged(Stage.REPLACE)
        self._rival(what)
        before = self._tables.rows(self._name)
        try:
            change.commit()
        except MetastoreError:
            if self._tables.rows(self._name) == before:
                return None
            return f"a commit over {what} of another's failed, and changed the table all the same"
        return f"commitStagedChanges succeeded over {what} that came after the stage"

    def _staged(self, how: Stage) -> StagedChange:
        provider = statement.provider_of(self._layout)
        own = self._own if provider is None else {**self._own, "provider": provider}
        change = self._tables.stage(how, self._name, NEW, None, own)
        change.write()
        return change

    def _rival(self, what: str) -> None:
        name = quoted(self._name)
        if what == INSERT:
            self._sql(f"INSERT INTO {name} VALUES (3)")  # noqa: S608 (quoted)
        elif what == REPLACE:
            self._sql(statement.replace_as(self._name, self._layout, self._own, THEIRS))
        else:
            self._sql(f"DROP TABLE {name}")

    def _unless_old(self, when: str) -> Seen:
        rows = self._tables.rows(self._name)
        return None if rows == OLD_ROWS else f"{when} {_described(rows)}"

    def _expect_old(self) -> None:
        if self._tables.rows(self._name) != OLD_ROWS:
            raise self._not_found_out("the scratch table does not show the row that it was made of")

    def _sql(self, text: str) -> None:
        with core_errors(f"run {text.splitlines()[0]}"):
            self._services.engine.sql(text)

    def _not_found_out(self, why: str) -> ProbeFailedError:
        return ProbeFailedError(
            f"a probe of the catalog {self._tables.name} could not find out what it keeps: {why}",
            table=self._name,
            left="no model was started",
            remedy="see the error; if the catalog can't do what the probe does, it can't be used "
            "for tables",
        )


def _described(rows: tuple[tuple[object, ...], ...] | None) -> str:
    if rows is None:
        return "there was no table"
    if rows == NEW_ROWS:
        return "the table showed what was not committed"
    return f"the table showed {rows}"
