"""``ctas_vacuum``: the old versions of models, and of tables that no model builds."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ctas_spark.context import StagingContext
from ctas_spark.options import STAGING_SUFFIX, ModelPlan
from ctas_spark.publish.catalog import StagingCatalog
from ctas_spark.retention.rules import RetentionRules, Sweep
from dbt.adapters.ctas_spark.project import Arguments, Project, Row, rows_of, target_of

OF_NO_MODEL = "(no model)"


def vacuum(catalog: StagingCatalog, plan: ModelPlan, arguments: Arguments) -> list[Row]:
    """One row for each version, deleted or kept, or what its storage has refused."""
    dry_run, rules = bool(arguments.get("dry_run")), _rules(plan.retention, arguments)
    swept = catalog.clean_up(plan.context, rules, dry_run=dry_run)
    return _of_sweep(str(plan.context.target), swept, dry_run=dry_run)


def _of_sweep(table: str, swept: Sweep, *, dry_run: bool) -> list[Row]:
    verb = "would be deleted" if dry_run else "deleted"
    taken_over = [_row(table, "(the replaced table)", f"{verb}: {one}") for one in swept.taken_over]
    freed = [_row(table, one.rpartition("/")[2], verb) for one in swept.freed]
    kept = [_row(table, one, f"kept: {why.value}") for one, why in swept.kept.items()]
    failed = [
        {"table": table, "version": one, "failed": error.what}
        for one, error in swept.failed.items()
    ]
    return [*taken_over, *freed, *kept, *failed]


def abandoned(
    project: Project, nodes: Sequence[Mapping[str, Any]], arguments: Arguments
) -> Iterator[Row]:
    """Rows of tables that no model builds: it was renamed or removed, or became a view."""
    schema = arguments.get("schema")
    for context in project.staging_contexts(nodes, schema):
        yield from rows_of(context.target, partial(_abandoned_in, context, project, arguments))


def _abandoned_in(context: StagingContext, project: Project, arguments: Arguments) -> list[Row]:
    """The rows of one staging schema."""
    dry_run, rules = bool(arguments.get("dry_run")), _rules(RetentionRules(), arguments)
    known = [target_of(node) for node in project.nodes({})]
    catalog, schema, found = project.catalog_for(context), arguments.get("schema"), list[Row]()
    for target in catalog.abandoned(context, known):
        if schema is None or target.database.lower() == schema.lower():
            own = StagingContext(target, context.staging_schema)
            work = partial(_of_abandoned, catalog, own, rules, dry_run=dry_run)
            found += rows_of(target, work)
    is_of_schema = context.staging_schema == f"{schema}{STAGING_SUFFIX}".lower()
    if is_of_schema and not dry_run and catalog.forget_staging_schema(context):
        found.append(_row(f"{schema} {OF_NO_MODEL}", f"({context.staging_schema})", "dropped"))
    return found


def _of_abandoned(
    catalog: StagingCatalog, context: StagingContext, rules: RetentionRules, *, dry_run: bool
) -> list[Row]:
    swept = catalog.clean_up_abandoned(context, rules, dry_run=dry_run)
    return _of_sweep(f"{context.target} {OF_NO_MODEL}", swept, dry_run=dry_run)


def _rules(rules: RetentionRules, arguments: Arguments) -> RetentionRules:
    asked = {name: arguments.get(name) for name in ("older_than", "fence", "metastore")}
    return rules.of_vacuum(**asked)


def _row(table: str, version: str, state: str) -> Row:
    return {"table": table, "version": version, "state": state}
