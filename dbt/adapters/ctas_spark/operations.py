"""The run-operations: find models in dbt's graph, call the core for each, print rows."""

import io
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import agate
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from dbt.adapters.ctas_spark import dbt_edge
from dbt.adapters.ctas_spark.config import (
    MILLISECONDS,
    ModelPlan,
    Shape,
    is_count,
    is_text,
    misfits,
    read_plan,
)
from dbt.adapters.ctas_spark.relation import table_name
from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.errors import (
    InvalidArgumentError,
    NoSuchModelError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.retention.rules import MovedMetastore, RetentionRules

logger = logging.getLogger(__name__)

PUBLISHED = ("atomic_table", "table")
WIDEST = 80
RECOVER = "ctas_recover"
Row = dict[str, Any]
Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Project:
    """The models of a dbt project; ``default_schema`` is the profile's ``staging_schema``."""

    graph: Mapping[str, Any]
    default_schema: str | None
    catalog_for: Callable[[StagingContext], StagingCatalog]

    def nodes(self, arguments: Arguments) -> tuple[Mapping[str, Any], ...]:
        """The published models that ``model`` or ``schema`` select, or all of them.

        Raises:
            NoSuchModelError: there is no model of that name.
        """
        name = arguments.get("model")
        found = [one for one in self.graph["nodes"].values() if _is_selected(one, arguments)]
        if name is not None and not found:
            raise NoSuchModelError(
                f"there is no model {name} that is published as a table",
                left="nothing was done",
                remedy="give the name of a model with materialized: atomic_table or table",
            )
        return tuple(found)

    def plan(self, node: Mapping[str, Any]) -> ModelPlan:
        """What a model's configuration asks for; ConfigurationError if it can't be followed."""
        target = table_name(node["database"], node["schema"], node["alias"])
        return read_plan(
            node["unique_id"], node["config"], node["description"], target, self.default_schema
        )


def show_history(catalog: StagingCatalog, plan: ModelPlan, _: Arguments) -> list[Row]:
    """One row for each publication, newest first."""
    return [asdict(event) for event in catalog.history(plan.context)]


def go_back(catalog: StagingCatalog, plan: ModelPlan, arguments: Arguments) -> list[Row]:
    """Publish the version before the live one, or the named one, again."""
    done = catalog.roll_back(plan.context, arguments.get("version"))
    row = {
        "table": str(plan.context.target),
        "version": done.version,
        "replaced": done.replaced,
        "atomicity": done.level.value,
    }
    return [row]


def vacuum(catalog: StagingCatalog, plan: ModelPlan, arguments: Arguments) -> list[Row]:
    """One row for each version, deleted or kept."""
    dry_run, table = bool(arguments.get("dry_run")), str(plan.context.target)
    swept = catalog.clean_up(plan.context, _rules(plan.retention, arguments), dry_run=dry_run)
    verb = "would be deleted" if dry_run else "deleted"
    taken_over = [_row(table, "(the table before)", f"{verb}: {one}") for one in swept.taken_over]
    freed = [_row(table, one.rpartition("/")[2], verb) for one in swept.freed]
    kept = [_row(table, one, f"kept: {why.value}") for one, why in swept.kept.items()]
    return [*taken_over, *freed, *kept]


def recover(catalog: StagingCatalog, plan: ModelPlan, _: Arguments) -> list[Row]:
    """One row for each thing that was finished."""
    table = str(plan.context.target)
    return [{"table": table, "done": what} for what in catalog.recover(plan.context)]


def _rules(rules: RetentionRules, arguments: Arguments) -> RetentionRules:
    """A model's rules, made as thorough as only ``ctas_vacuum`` is.

    ``older_than``, in seconds, replaces both the grace period and the orphan age.
    """
    older_than, moved = arguments.get("older_than"), arguments.get("metastore")
    rules = replace(
        rules,
        thorough=True,
        fences=bool(arguments.get("fence")),
        moved=None if moved is None else MovedMetastore(moved),
    )
    if older_than is None:
        return rules
    age_ms = older_than * MILLISECONDS
    return replace(rules, grace_ms=age_ms, orphan_age_ms=age_ms)


def _row(table: str, version: str, state: str) -> Row:
    return {"table": table, "version": version, "state": state}


OPERATIONS: Mapping[str, Callable[[StagingCatalog, ModelPlan, Arguments], list[Row]]] = {
    "ctas_history": show_history,
    "ctas_rollback": go_back,
    "ctas_vacuum": vacuum,
    RECOVER: recover,
}
MOVED = tuple(one.value for one in MovedMetastore)
FLAG: Shape = ("true or false", lambda value: isinstance(value, bool))
SHAPES: Mapping[str, Shape] = {
    "model": ("the name of a model", is_text),
    "schema": ("the name of a schema", is_text),
    "version": ("the id of a version", is_text),
    "older_than": ("a number of seconds", is_count),
    "dry_run": FLAG,
    "fence": FLAG,
    "json": FLAG,
    "metastore": (f"one of {', '.join(MOVED)}", lambda value: value in MOVED),
}


def run(name: str, project: Project, arguments: Arguments) -> str:
    """What a run-operation prints: one table's trouble is a row, and the others go on.

    Raises:
        InvalidArgumentError: arguments don't have a value of their type; it names every problem.
        StagingError: the operation failed for the one model that was named.
    """
    problems = misfits(arguments, SHAPES).values()
    if problems:
        raise InvalidArgumentError(
            f"{name} can't be run: {'; '.join(problems)}",
            left="nothing was done",
            remedy="see docs/operations.md",
        )
    nodes = project.nodes(arguments)
    rows = [row for node in nodes for row in _done(name, project, node, arguments)]
    return text_of(rows, as_json=bool(arguments.get("json")))


def _done(name: str, project: Project, node: Mapping[str, Any], arguments: Arguments) -> list[Row]:
    try:
        plan = project.plan(node)
        return OPERATIONS[name](project.catalog_for(plan.context), plan, arguments)
    except (StagingError, Py4JError, PySparkException) as error:
        if arguments.get("model") is not None:
            raise
        table, what = f"{node['schema']}.{node['alias']}", dbt_edge.message(error)
        logger.warning("%s: %s", table, what)
        said = f"failed: {what.splitlines()[0]}"
        return [{"table": table, "done": said} if name == RECOVER else _row(table, "", said)]


def _is_selected(node: Mapping[str, Any], arguments: Arguments) -> bool:
    name, schema = arguments.get("model"), arguments.get("schema")
    published = node["resource_type"] == "model" and node["config"]["materialized"] in PUBLISHED
    inside = schema is None or node["schema"].lower() == schema.lower()
    return published and inside and name in (None, node["name"])


def text_of(rows: Sequence[Mapping[str, Any]], *, as_json: bool) -> str:
    """A table with a column for each key, or a JSON array of objects."""
    if as_json:
        return json.dumps(list(rows))
    if not rows:
        return "nothing"
    names = list(rows[0])
    cells = [["" if row[name] is None else str(row[name]) for name in names] for row in rows]
    table = agate.Table(cells, names, [agate.Text(cast_nulls=False)] * len(names))
    printed = io.StringIO()
    table.print_table(max_rows=None, max_columns=None, max_column_width=WIDEST, output=printed)
    return printed.getvalue()
