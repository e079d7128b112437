"""The run-operations: find models in dbt's graph, call the core for each, print rows."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from functools import partial
from textwrap import fill, shorten
from typing import Any

from ctas_spark.archiving import making
from ctas_spark.context import StagingContext, TableName, table_name
from ctas_spark.engines import jvm
from ctas_spark.errors import (
    ConfigurationError,
    InvalidArgumentError,
    NoSuchModelError,
    NoSuchSchemaError,
    OperationIncompleteError,
    StagingError,
)
from ctas_spark.options import (
    STAGING_SUFFIX,
    ModelPlan,
    Shape,
    is_count,
    is_text,
    misfits,
    one_of,
    read_plan,
    staging_schema_of,
)
from ctas_spark.publish.catalog import StagingCatalog
from ctas_spark.publish.marker import PublicationKind
from ctas_spark.retention.rules import Event, MovedMetastore, RetentionRules, Sweep
from dbt.adapters.ctas_spark import dbt_edge
from dbt.adapters.ctas_spark.text_tables import count_text, size_text, text_of

logger = logging.getLogger(__name__)

MODELS = ("atomic_table", "table", "incremental")
PUBLISHED = (*MODELS, "seed", "snapshot")
RESOURCES = ("model", "seed", "snapshot")
SELECTORS = {"model": "name", "schema": "schema"}
"""Arguments that select models, and the key of each in dbt's nodes."""
OF_NO_MODEL = "(no model)"
ANY_TABLE = "any"
MOST_EVENTS = 40  # of several tables together; the lineage of one has no more
MOST_CHARACTERS = 500
MOST_COLUMNS = 100  # of a terminal
ADDED = "+"
ADDED_MEANS = "+: a statement has added or replaced rows of this version in place since"
ROLLED_BACK = "*"
ROLLED_BACK_MEANS = "*: published by a rollback"
BELOW = ("failed", "schema_change")
"""What is as long as it wants, and has lines of its own below the table."""
Row = dict[str, Any]
Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Project:
    """The models of a dbt project; ``default_schema`` is the profile's ``staging_schema``."""

    graph: Mapping[str, Any]
    default_schema: str | None
    catalog_for: Callable[[StagingContext], StagingCatalog]

    def nodes(
        self, arguments: Arguments, *, may_be_none: bool = False
    ) -> tuple[Mapping[str, Any], ...]:
        """The published nodes that ``model`` or ``schema`` select, or all of them, by name.

        Raises:
            NoSuchModelError: they select none; it names those that are nearest.
        """
        nodes = sorted(self.graph["nodes"].values(), key=lambda one: str(one["unique_id"]))
        found = tuple(one for one in nodes if _is_selected(one, arguments))
        asked = [one for one in SELECTORS if arguments.get(one) is not None]
        if asked and not found and not may_be_none:
            known = dict.fromkeys(one[SELECTORS[asked[0]]] for one in self.nodes({}))
            near = get_close_matches(arguments[asked[0]], known)
            named = f"the nearest {asked[0]}s are: {', '.join(near)}"
            what = " and ".join(f"{one} {arguments[one]}" for one in asked)
            raise NoSuchModelError(
                f"no table is published for {what}",
                left="nothing was done",
                remedy=f"only seeds, snapshots and models with materialized: {_or(MODELS)} have "
                f"one; {named if near else 'dbt ls lists the nodes of the project'}",
            )
        return found

    def staging_contexts(
        self, nodes: Sequence[Mapping[str, Any]], schema: str | None
    ) -> Iterator[StagingContext]:
        """One for each staging schema of some nodes, and for that of a schema, if one is named."""
        found: dict[tuple[str, str], StagingContext] = {}
        for node in nodes:
            with suppress(ConfigurationError):
                context = self.plan(node).context
                found.setdefault((context.target.catalog, context.staging_schema), context)
        if schema is not None:
            target = TableName(schema.lower(), ANY_TABLE)
            own = staging_schema_of({}, target, self.default_schema)
            found.setdefault((target.catalog, own), StagingContext(target, own))
        yield from found.values()

    def plan(self, node: Mapping[str, Any]) -> ModelPlan:
        """What a model's configuration asks for; ConfigurationError if it can't be followed."""
        about = node["unique_id"], node["config"], node["description"]
        return read_plan(*about, _target(node), self.default_schema)


def show_history(catalog: StagingCatalog, plan: ModelPlan, arguments: Arguments) -> list[Row]:
    """One row for each publication, newest first; all that is known of it as JSON."""
    shown = asdict if arguments.get("json") else _cells
    table = str(plan.context.target)
    return [{"table": table, **shown(event)} for event in catalog.history(plan.context)]


def _cells(event: Event) -> Row:
    """What a terminal has room for."""
    more = f" {ADDED}" if event.changed_in_place else ""
    return {
        "version": event.version,
        "time": event.time,
        "kind": event.kind,
        "state": event.state,
        "rows": f"{count_text(event.rows)}{more}".strip(),
        "size": "" if event.changed_in_place else size_text(event.bytes),
        "schema_change": event.schema_change,
    }


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
    """One row for each version, deleted or kept, or what its storage has refused."""
    dry_run = bool(arguments.get("dry_run"))
    asked = {name: arguments.get(name) for name in ("older_than", "fence", "metastore")}
    swept = catalog.clean_up(plan.context, plan.retention.of_vacuum(**asked), dry_run=dry_run)
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


def _abandoned(
    project: Project, nodes: Sequence[Mapping[str, Any]], arguments: Arguments
) -> Iterator[Row]:
    """Rows of tables that no model builds: it was renamed or removed, or became a view."""
    schema = arguments.get("schema")
    for context in project.staging_contexts(nodes, schema):
        yield from _rows_of(context.target, partial(_abandoned_in, context, project, arguments))


def _abandoned_in(context: StagingContext, project: Project, arguments: Arguments) -> list[Row]:
    """The rows of one staging schema."""
    asked = {name: arguments.get(name) for name in ("older_than", "fence", "metastore")}
    rules, dry_run = RetentionRules().of_vacuum(**asked), bool(arguments.get("dry_run"))
    known = [_target(node) for node in project.nodes({})]
    catalog, schema, found = project.catalog_for(context), arguments.get("schema"), list[Row]()
    for target in catalog.abandoned(context, known):
        if schema is None or target.database.lower() == schema.lower():
            own = StagingContext(target, context.staging_schema)
            work = partial(_of_abandoned, catalog, own, rules, dry_run=dry_run)
            found += _rows_of(target, work)
    is_of_schema = context.staging_schema == f"{schema}{STAGING_SUFFIX}".lower()
    if is_of_schema and not dry_run and catalog.forget_staging_schema(context):
        found.append(_row(f"{schema} {OF_NO_MODEL}", f"({context.staging_schema})", "dropped"))
    return found


def _of_abandoned(
    catalog: StagingCatalog, context: StagingContext, rules: RetentionRules, *, dry_run: bool
) -> list[Row]:
    swept = catalog.clean_up_abandoned(context, rules, dry_run=dry_run)
    return _of_sweep(f"{context.target} {OF_NO_MODEL}", swept, dry_run=dry_run)


def recover(catalog: StagingCatalog, plan: ModelPlan, _: Arguments) -> list[Row]:
    """One row for each thing that was finished."""
    table = str(plan.context.target)
    return [{"table": table, "done": what} for what in catalog.recover(plan.context)]


def _row(table: str, version: str, state: str) -> Row:
    return {"table": table, "version": version, "state": state}


HISTORY, ROLLBACK, VACUUM = "ctas_history", "ctas_rollback", "ctas_vacuum"
ARCHIVE = "ctas_archive_classes"
WARM = "ctas_warm_spark"
OPERATIONS: Mapping[str, Callable[[StagingCatalog, ModelPlan, Arguments], list[Row]]] = {
    HISTORY: show_history,
    ROLLBACK: go_back,
    VACUUM: vacuum,
    "ctas_recover": recover,
}
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    HISTORY: (*SELECTORS, "json"),
    ROLLBACK: ("model", "version", "json"),
    VACUUM: (*SELECTORS, "older_than", "dry_run", "fence", "metastore", "json"),
    "ctas_recover": (*SELECTORS, "json"),
    ARCHIVE: ("remove",),
    WARM: ("stop", "idle_minutes"),
}
FLAG: Shape = ("true or false", lambda value: isinstance(value, bool))
SHAPES: Mapping[str, Shape] = {
    "model": ("the name of a model", is_text),
    "schema": ("the name of a schema", is_text),
    "version": ("the id of a version, such as 20260101t120000x0a1b2c3d", is_text),
    "older_than": ("a number of seconds, such as 3600", is_count),
    "dry_run": FLAG,
    "fence": FLAG,
    "remove": FLAG,
    "stop": FLAG,
    "idle_minutes": ("a number of minutes, such as 120", is_count),
    "metastore": one_of(MovedMetastore),
    "json": FLAG,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run-operation prints, and of which tables it failed for what; empty if of none."""

    text: str
    failed: tuple[str, ...] = ()

    def require_all(self, name: str) -> None:
        """Raise once it was printed, so that the exit code says that something failed."""
        if self.failed:
            raise OperationIncompleteError(
                f"{name} failed for {', '.join(self.failed)}",
                left="everything else that was asked for is done",
                remedy="see what is printed for each, then run it again",
            )


def run(name: str, project: Project, arguments: Arguments) -> Outcome:
    """What a run-operation did: one table's trouble is a row, and the others go on.

    Raises:
        InvalidArgumentError: arguments are wrong or missing; it names every problem.
        NoSuchModelError: they select no model.
        StagingError: the operation failed for the one model that was named.
    """
    check(name, arguments)
    as_json = bool(arguments.get("json"))
    is_vacuum = name == VACUUM and arguments.get("model") is None
    nodes = project.nodes(arguments, may_be_none=is_vacuum)
    if name == ROLLBACK:
        _refuse_several(nodes)
    rows = [row for node in nodes for row in _done(name, project, node, arguments)]
    if is_vacuum:
        rows += [row for row in _abandoned(project, nodes, arguments) if row not in rows]
        if not (nodes or rows):
            project.nodes(arguments)  # which says so
    if name == HISTORY and len(nodes) > 1:  # several tables by time; what failed comes first
        rows.sort(key=lambda row: str(row.get("time", "failed")), reverse=True)
        del rows[MOST_EVENTS:]
    failed = tuple(dict.fromkeys(str(row["table"]) for row in rows if "failed" in row))
    if as_json:
        return Outcome(text_of(rows, as_json=True), failed)
    if rows:
        is_of_one = arguments.get("model") is not None
        return Outcome(_printed(name, rows, is_of_one=is_of_one), failed)
    tables = shorten(", ".join(str(_target(node)) for node in nodes), MOST_CHARACTERS)
    return Outcome(f"{name} found nothing; it looked at {tables or 'no table'}")


def _printed(name: str, rows: Sequence[Row], *, is_of_one: bool) -> str:
    """A table that a terminal does not wrap, and below it the lines that explain it."""
    done = [row for row in rows if "failed" not in row]
    is_rolled_back = any(_is_rollback(row) for row in done)
    left_out = {*BELOW}
    if name == HISTORY and is_of_one:
        left_out.add("table")
    if not (is_of_one and is_rolled_back):
        left_out.add("kind")
    if not is_of_one:  # the tables' names leave no room for the kind
        done = [_with_mark(row) for row in done]
    shown = [{key: one for key, one in row.items() if key not in left_out} for row in done]
    notes = [
        *([ROLLED_BACK_MEANS] if is_rolled_back and not is_of_one else []),
        *([ADDED_MEANS] if any(str(row.get("rows")).endswith(ADDED) for row in done) else []),
        *(
            f"columns of {row['table']} changed at {row['time']}: {row['schema_change']}"
            for row in done
            if row.get("schema_change")
        ),
        *(f"{_named(row)} failed: {row['failed']}" for row in rows if "failed" in row),
    ]
    table = [text_of(shown, as_json=False)] if shown else []
    return "\n".join([*table, *(fill(one, MOST_COLUMNS, **UNBROKEN) for one in notes)])


def _is_rollback(row: Row) -> bool:
    return row.get("kind") == PublicationKind.ROLLBACK.value


def _with_mark(row: Row) -> Row:
    """The row of a rollback says so behind its state."""
    return {**row, "state": f"{row['state']} {ROLLED_BACK}"} if _is_rollback(row) else row


def _named(row: Row) -> str:
    """The table, and its version if only that failed."""
    return " ".join(str(row[key]) for key in ("table", "version") if key in row)


UNBROKEN: Mapping[str, Any] = {
    "subsequent_indent": "  ",
    "break_long_words": False,
    "break_on_hyphens": False,
}


def archive_classes(arguments: Arguments, say: Callable[[str], None]) -> str:
    """What became of the archive with which Spark starts faster; ``say`` is told to wait.

    Raises:
        InvalidArgumentError: arguments are wrong.
        SparkNotStartedError: it could not be made.
    """
    check(ARCHIVE, arguments)
    if arguments.get("remove"):
        removed = ", ".join(map(str, making.remove()))
        return (
            f"removed: {removed or 'nothing, there was no archive'}; "
            "from now on, none is made automatically"
        )
    say("Starting a Spark to archive its classes; this takes about a minute")
    made = making.make()
    return (
        f"from now on, Spark starts with {made} ({made.stat().st_size / 1e6:.0f} MB); "
        f"to remove it, run dbt run-operation {ARCHIVE} --args '{{remove: true}}'"
    )


def check(name: str, arguments: Arguments) -> None:
    """Return if an operation takes the arguments; InvalidArgumentError names every problem."""
    takes = ARGUMENTS[name]
    missing = ["model: missing"] if name == ROLLBACK and arguments.get("model") is None else []
    others = [one for one in arguments if one not in takes]
    unknown = [f"{one}: unknown (it takes {', '.join(takes)})" for one in others]
    if problems := [*missing, *unknown, *misfits(arguments, SHAPES).values()]:
        raise InvalidArgumentError(
            f"{name} can't be run: {'; '.join(problems)}",
            left="nothing was done",
            remedy=f"write it like dbt run-operation {name} --args '{_example(takes)}'; "
            "dbt run-operation ctas_help explains all arguments",
        )


def _example(takes: Sequence[str]) -> str:
    return "{model: orders}" if "model" in takes else f"{{{takes[0]}: true}}"


def _done(name: str, project: Project, node: Mapping[str, Any], arguments: Arguments) -> list[Row]:
    def of_node() -> list[Row]:
        plan = project.plan(node)
        return OPERATIONS[name](project.catalog_for(plan.context), plan, arguments)

    if arguments.get("model") is not None:
        return of_node()
    return _rows_of(_target(node), of_node)


def _rows_of(target: TableName, work: Callable[[], list[Row]]) -> list[Row]:
    """What fails is a row, and the other tables go on."""
    try:
        return work()
    except NoSuchSchemaError:
        return []  # nobody has built a table there yet
    except (StagingError, *jvm.FAILURES) as error:
        table, what = str(target), dbt_edge.message(error)
        logger.warning("%s: %s", table, what)
        problems = error.problems if isinstance(error, ConfigurationError) else ()
        said = f"[{ConfigurationError.name}] {'; '.join(problems)}" if problems else what
        return [{"table": table, "failed": said.splitlines()[0]}]


def _or(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _target(node: Mapping[str, Any]) -> TableName:
    return table_name(node["database"], node["schema"], node["alias"])


def _is_selected(node: Mapping[str, Any], arguments: Arguments) -> bool:
    name, schema = arguments.get("model"), arguments.get("schema")
    is_table = node["resource_type"] in RESOURCES
    published = is_table and node["config"]["materialized"] in PUBLISHED
    inside = schema is None or node["schema"].lower() == schema.lower()
    return published and inside and (name is None or name in _names(node))


def _names(node: Mapping[str, Any]) -> tuple[str, ...]:
    """What a node may be called; one of a model's versions, as in ``--select``."""
    version = node.get("version")
    versioned = () if version is None else (f"{node['name']}.v{version}",)
    return (node["name"], node["unique_id"], *versioned)


def _refuse_several(nodes: Sequence[Mapping[str, Any]]) -> None:
    """A rollback is of one table."""
    if len(nodes) > 1:
        raise InvalidArgumentError(
            f"{ROLLBACK} rolls back one table, and {len(nodes)} have that name",
            left="nothing was done",
            remedy=f"name one of {', '.join(str(node['unique_id']) for node in nodes)}",
        )
