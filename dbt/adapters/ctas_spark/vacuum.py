"""``ctas_vacuum``: the old versions of models, and of tables that no model builds."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ctas_spark.context import StagingContext, TableName
from ctas_spark.options import STAGING_SUFFIX, ModelPlan
from ctas_spark.publish.catalog import StagingCatalog
from ctas_spark.retention.rules import RetentionRules, Sweep
from dbt.adapters.ctas_spark.project import (
    Arguments,
    Project,
    Rest,
    Row,
    rest_of,
    rows_of,
    target_of,
)

OF_NO_MODEL = "(no model)"


def vacuum(catalog: StagingCatalog, plan: ModelPlan, arguments: Arguments) -> list[Row]:
    """One row for each version, deleted or kept, or what its storage has refused."""
    return begin_vacuum(catalog, plan, arguments)()


def begin_vacuum(catalog: StagingCatalog, plan: ModelPlan, arguments: Arguments) -> Rest:
    """Take what may go; the rest of it deletes that, and returns the rows."""
    rules, dry_run = _rules_of_vacuum(plan.retention, arguments)
    delete = catalog.begin_clean_up(plan.context, rules, dry_run=dry_run)
    return lambda: _of_sweep(str(plan.context.target), delete(), dry_run=dry_run)


def _rules_of_vacuum(rules: RetentionRules, arguments: Arguments) -> tuple[RetentionRules, bool]:
    """The rules, and whether it is a dry run."""
    asked = {name: arguments.get(name) for name in ("older_than", "fence", "metastore")}
    return rules.of_vacuum(**asked), bool(arguments.get("dry_run"))


def vacuum_all(
    project: Project, nodes: Sequence[Mapping[str, Any]], arguments: Arguments
) -> list[Row]:
    """Rows of the nodes' tables, and of those that no model builds.

    Whatever may go is taken before anything is deleted: then one search of the metastore shows for
    all tables who has a version.
    """
    begin = partial(_begin_node, project, arguments)
    begun = [rest_of(target_of(node), partial(begin, node)) for node in nodes]
    abandoned = list(_begin_abandoned(project, nodes, arguments))
    rows = [row for rest in begun for row in rest()]
    rows += [row for rest in abandoned for row in rest() if row not in rows]
    rows += _drop_left_views(project, nodes, arguments)
    return rows + list(_forget_staging_schemas(project, nodes, arguments))


def _begin_node(project: Project, arguments: Arguments, node: Mapping[str, Any]) -> Rest:
    plan = project.plan(node)
    return begin_vacuum(project.catalog_for(plan.context), plan, arguments)


def _of_sweep(table: str, swept: Sweep, *, dry_run: bool) -> list[Row]:
    verb = "would be deleted" if dry_run else "deleted"
    taken_over = [_row(table, "(the replaced table)", f"{verb}: {one}") for one in swept.taken_over]
    freed = [_row(table, one.rpartition("/")[2], verb) for one in swept.freed]
    kept = [_row(table, one, f"kept: {why.value}") for one, why in swept.kept.items()]
    failed = [
        {"table": table, "version": one, "failed": f"{error.what}; {error.remedy}".rstrip("; ")}
        for one, error in swept.failed.items()
    ]
    return [*taken_over, *freed, *kept, *failed]


def _begin_abandoned(
    project: Project, nodes: Sequence[Mapping[str, Any]], arguments: Arguments
) -> Iterator[Rest]:
    """Of tables that no model builds: it was renamed or removed, or became a view."""
    schema, known = arguments.get("schema"), [target_of(node) for node in project.nodes({})]
    for context in project.staging_contexts(nodes, schema):
        begin = partial(_begin_abandoned_in, context, project, known, arguments)
        yield rest_of(context.target, begin)


def _begin_abandoned_in(
    context: StagingContext, project: Project, known: Sequence[TableName], arguments: Arguments
) -> Rest:
    """Of one staging schema."""
    catalog, schema = project.catalog_for(context), arguments.get("schema")
    begun = [
        rest_of(target, partial(_begin_of_none, catalog, own, arguments))
        for target in catalog.abandoned(context, known)
        if schema is None or target.database.lower() == schema.lower()
        for own in (StagingContext(target, context.staging_schema),)
    ]
    return lambda: [row for rest in begun for row in rest()]


def _begin_of_none(catalog: StagingCatalog, context: StagingContext, arguments: Arguments) -> Rest:
    rules, dry_run = _rules_of_vacuum(RetentionRules(), arguments)
    delete = catalog.begin_clean_up_abandoned(context, rules, dry_run=dry_run)
    return lambda: _of_sweep(f"{context.target} {OF_NO_MODEL}", delete(), dry_run=dry_run)


def _drop_left_views(
    project: Project, nodes: Sequence[Mapping[str, Any]], arguments: Arguments
) -> Iterator[Row]:
    """Of runs that were killed before a view took its table's place."""
    dry_run = bool(arguments.get("dry_run"))
    verb = "would be dropped" if dry_run else "dropped"

    def dropped(context: StagingContext) -> list[Row]:
        left = project.catalog_for(context).drop_left_views(context, dry_run=dry_run)
        return [_row(str(one), "(a staged view)", verb) for one in left]

    for context in project.staging_contexts(nodes, arguments.get("schema")):
        yield from rows_of(context.target, partial(dropped, context))


def _forget_staging_schemas(
    project: Project, nodes: Sequence[Mapping[str, Any]], arguments: Arguments
) -> Iterator[Row]:
    """That of the schema which was named, if both are done with."""
    schema = arguments.get("schema")
    if schema is None or arguments.get("dry_run"):
        return

    def forgotten(context: StagingContext) -> list[Row]:
        if not project.catalog_for(context).forget_staging_schema(context):
            return []
        return [_row(f"{schema} {OF_NO_MODEL}", f"({context.staging_schema})", "dropped")]

    for context in project.staging_contexts(nodes, schema):
        if context.staging_schema == f"{schema}{STAGING_SUFFIX}".lower():
            yield from rows_of(context.target, partial(forgotten, context))


def _row(table: str, version: str, state: str) -> Row:
    return {"table": table, "version": version, "state": state}
