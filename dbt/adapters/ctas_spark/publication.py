"""One node's publication: planned, begun, staged, verified, committed and settled, step by step."""

from contextlib import suppress
from dataclasses import replace
from typing import Any, cast
from uuid import uuid4

from dbt_common.exceptions import DbtRuntimeError

from ctas_spark.context import Atomicity, StagingPurpose
from ctas_spark.errors import NotSupportedError
from ctas_spark.options import read_plan
from ctas_spark.publish import messages
from dbt.adapters.ctas_spark import increments, model_columns, python_models, seeds, snapshots
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.model_build import ModelBuild, PublicationResponse, planned
from dbt.adapters.ctas_spark.project_macros import UnusedMacros
from dbt.adapters.ctas_spark.publication_events import HookDispatcher
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.run_record import RunRecord
from dbt.adapters.ctas_spark.statements import bare

PLAIN = ("table", "atomic_table", "seed")
"""Materializations that stage one query, and add nothing to what is there."""
INSTEAD = {"seed": seeds.IN_BATCHES, "snapshot": snapshots.BY_STATEMENT}
"""What is done with a node that can't be published; else it is an incremental model."""


class Publication:
    """One method for each step that a macro names."""

    def __init__(
        self, invocation: Invocation, dbt: Dbt, dispatcher: HookDispatcher, record: RunRecord
    ) -> None:
        self._invocation = invocation
        self._dbt = dbt
        self._dispatcher = dispatcher
        self._record = record
        self._unused_macros = UnusedMacros(dbt)

    def plan(self, relation: CtasSparkRelation, full_refresh: bool) -> None:  # noqa: FBT001 (Jinja)
        """Validate the node's configuration and decide its level; no job is started."""
        state, this = self._invocation.node, self._invocation
        node, addition = state.node, state.addition
        model_columns.warn_of_unchecked(node, self._dbt.type())
        self._unused_macros.warn()
        if node.language == "python":
            python_models.check(node.config, this.spark)
        plan = read_plan(
            node.unique_id,
            node.config,
            node.description,
            relation.full_name,
            this.credentials.staging_schema,
            column_comments=model_columns.descriptions(node),
            full_refresh=full_refresh,
        )
        if addition.creates and not full_refresh:  # else what was added to it would be lost
            plan = replace(plan, context=replace(plan.context, purpose=StagingPurpose.CREATE))
        opened = this.catalogs
        # Spark 4 cancels whatever a group starts after it was cancelled: each batch has its own
        group = f"{node.unique_id} {opened.run} {uuid4().hex[:8]}"
        job = this.handle.new_job(group, plan.abort_timeout_seconds)
        by_query = not this.is_in_session and _is_read_by_query_alone(node)
        with messages.before_any_job(plan.context.target):
            catalog = opened.catalog_for(plan.context)
            adds = addition.with_old_rows
            state.begin = planned(catalog, plan, job, adds=adds, only_by_query=by_query)

    def plan_if_possible(self, relation: CtasSparkRelation, full_refresh: bool) -> bool:  # noqa: FBT001 (Jinja)
        """As ``plan``; False if the node can't be published, and did not ask for a level."""
        try:
            self.plan(relation, full_refresh)
        except NotSupportedError as error:
            state = self._invocation.node
            node = state.node
            if node.config.get("atomicity") is not None or node.language == "python":
                raise
            instead = INSTEAD.get(node.resource_type, increments.DROPPED)
            logger.info(f"{relation.full_name}: {instead}: {error.what}")
            self._dispatcher.created(state)
            return False
        return True

    def begin(self) -> bool:
        """Look at the target; False if the node is to keep it as it is."""
        state = self._invocation.node
        if state.begin is None:
            raise AssertionError("a publication begins after it was planned")
        with messages.before_any_job(state.table):
            state.build = state.begin()
        self._dispatcher.created(state)
        return state.build.staged.outcome is None

    def is_undecided(self) -> bool:
        """False if the table is kept: the node's stream brings nothing new."""
        build = self._invocation.node.build
        return build is not None and build.staged.outcome is None

    def statement(self, query: str) -> str:
        """The CTAS that stages the version, which dbt runs for a seed without any other step."""
        self._invocation.take_turn()
        return self._build.staged.statement(bare(query) if ";" in query else query)

    def verify(self) -> CtasSparkRelation:
        """The staged version as a relation, for checks before it is published."""
        record = self._build.staged.verify()
        path = record.catalog, record.database, record.table
        of = self._dbt.Relation
        return of.create(*path, type=of.Table, branch=record.branch)

    def is_filled_in_place(self) -> bool:
        """Whether no rows are staged: at level ``none`` the published version gets them."""
        return self._build.staged.level is Atomicity.NONE

    def constraint_checks_sql(self, model: dict[str, Any], rows: str) -> str | None:
        """A query that counts the rows which break each constraint; None if there is none."""
        return model_columns.checks_sql(model, rows)

    def assert_no_violations(self, counts: Any, model: dict[str, Any], checked: str) -> None:
        """Fail the node if the one row of ``constraint_checks_sql`` counts broken rows."""
        found = dict(zip(counts.column_names, counts.rows[0], strict=True))
        if broken := {name: count for name, count in found.items() if count}:
            sql, rows = model_columns.broken_rows_sql(model, checked, broken), ()
            with suppress(DbtRuntimeError):  # the error stands without them
                rows = self._dbt.execute(sql, fetch=True)[1].rows
            raise model_columns.violation(broken, rows, self._invocation.node.table)

    def comment_columns(self, staged: CtasSparkRelation) -> None:
        """Comment the staged version's columns, unless it is a branch, which has its comments."""
        table, build = staged.full_name, self._build.staged
        texts = build.context.layout.column_comments
        if not texts or table.branch:
            return
        if build.keeps_own_columns:
            model_columns.comment_each(self._invocation.spark, table, texts)
        else:
            model_columns.comment(self._invocation.catalogs, table, texts)

    def commit(self) -> bool:
        """Publish the version; False if another's table is kept instead."""
        return self._invocation.handle.decide(self._build.on_finished)

    def fill_statement(self, query: str) -> str | None:
        """The INSERT that fills the published version at atomicity ``none``; else None."""
        return self._build.staged.fill_statement(query)

    def settle(self) -> None:
        """After the commit: refresh the session, and list what was published."""
        version, staged = self._build.settle(), self._build.staged
        version = replace(
            version, catalog=self._invocation.of_run(version.catalog, version.context)
        )
        hides = staged.reach.hides_partitions
        self._record.published(version, staged.level, hides_partitions=hides)

    def response(self) -> PublicationResponse:
        """The node's ``adapter_response``."""
        return self._build.response()

    @property
    def _build(self) -> ModelBuild:
        return cast("ModelBuild", self._invocation.node.build)


def _is_read_by_query_alone(node: Any) -> bool:
    """Whether nothing but the query that a node stages reads its table before the commit.

    Python code may, and so do statements that compare the query's columns with the table's or with
    a contract.
    """
    config = node.config
    is_plain = config.materialized in PLAIN and node.language != "python"
    return is_plain and not config.contract.enforced
