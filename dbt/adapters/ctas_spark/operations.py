"""What the run-operations do: find models in dbt's graph, call the core for each, print rows."""

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import agate

from dbt.adapters.ctas_spark.config import ModelPlan, read_plan
from dbt.adapters.ctas_spark.relation import table_name
from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.errors import NoSuchModelError
from dbt.adapters.ctas_spark.staging.retention.rules import Reason

PUBLISHED = ("atomic_table", "table")
Row = dict[str, Any]
WIDEST = 80


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the graph whose versions this adapter keeps."""

    context: StagingContext
    plan: ModelPlan


def models(
    graph: Mapping[str, Any],
    default_schema: str | None,
    *,
    name: str | None = None,
    schema: str | None = None,
) -> Iterator[Model]:
    """The models that ``name`` or ``schema`` select, or all.

    Raises:
        NoSuchModelError: there is no such model.
    """
    found = False
    for node in graph["nodes"].values():
        if _is_selected(node, name, schema):
            found = True
            plan = read_plan(node["unique_id"], node["config"], node["description"], default_schema)
            target = table_name(node["database"], node["schema"], node["alias"])
            yield Model(plan.context(target, full_refresh=False), plan)
    if name is not None and not found:
        raise NoSuchModelError(
            f"there is no model {name} that is published as a table",
            left="nothing was done",
            remedy="give the name of a model with materialized: atomic_table or table",
        )


def show_history(catalog: StagingCatalog, model: Model) -> list[Row]:
    """One row for each publication, newest first."""
    return [asdict(event) for event in catalog.history(model.context)]


def go_back(catalog: StagingCatalog, model: Model, version: str | None) -> Row:
    """Publish the version before the live one, or the named one."""
    done = catalog.roll_back(model.context, version)
    return {
        "table": str(model.context.target),
        "version": done.version,
        "replaced": done.replaced,
        "atomicity": done.level.value,
    }


def vacuum(
    catalog: StagingCatalog, model: Model, older_than: int | None, *, dry_run: bool
) -> list[Row]:
    """One row for each version, deleted or kept; ``older_than`` in seconds replaces the grace."""
    rules = model.plan.retention_for(older_than)
    swept = catalog.clean_up(model.context, rules, dry_run=dry_run)
    verb = "would be deleted" if dry_run else "deleted"
    table = str(model.context.target)
    freed = [{"table": table, "version": _last(one), "state": verb} for one in swept.freed]
    taken_over = [
        {"table": table, "version": "(the table before)", "state": f"{verb}: {directory}"}
        for directory in swept.taken_over
    ]
    kept = (_kept(table, version, reason) for version, reason in swept.kept.items())
    return [*taken_over, *freed, *kept]


def recover(catalog: StagingCatalog, model: Model) -> list[Row]:
    """One row for each thing that was finished or reverted."""
    rules = model.plan.retention_for(None)
    table = str(model.context.target)
    return [{"table": table, "done": what} for what in catalog.recover(model.context, rules)]


def _is_selected(node: Mapping[str, Any], name: str | None, schema: str | None) -> bool:
    published = node["resource_type"] == "model" and node["config"]["materialized"] in PUBLISHED
    named = name in (None, node["name"])
    inside = schema is None or node["schema"].lower() == schema.lower()
    return published and named and inside


def _kept(table: str, version: str, reason: Reason) -> Row:
    return {"table": table, "version": version, "state": f"kept: {reason.value}"}


def _last(directory: str) -> str:
    return directory.rsplit("/", 1)[-1]


def text_of(rows: Sequence[Mapping[str, Any]], *, as_json: bool) -> str:
    """A table with a column for each key, or a JSON array of objects."""
    if as_json:
        return json.dumps(list(rows))
    if not rows:
        return "nothing"
    names = list(rows[0])
    cells = [[_cell(row[name]) for name in names] for row in rows]
    table = agate.Table(cells, names, [agate.Text(cast_nulls=False)] * len(names))
    printed = io.StringIO()
    table.print_table(max_rows=None, max_columns=None, max_column_width=WIDEST, output=printed)
    return printed.getvalue()


def _cell(value: object) -> str:
    return "" if value is None else str(value)
