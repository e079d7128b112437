"""The run-operations: call the core for each table that is asked for, print rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from textwrap import fill, shorten
from typing import Any

from ctas_spark.archiving import making
from ctas_spark.errors import InvalidArgumentError, OperationIncompleteError
from ctas_spark.options import ModelPlan, Shape, is_count, is_text, misfits, one_of
from ctas_spark.publish.catalog import StagingCatalog
from ctas_spark.publish.marker import PublicationKind
from ctas_spark.retention.rules import Event, MovedMetastore
from dbt.adapters.ctas_spark.project import SELECTORS, Arguments, Project, Row, rows_of, target_of
from dbt.adapters.ctas_spark.text_tables import count_text, size_text, text_of
from dbt.adapters.ctas_spark.vacuum import vacuum, vacuum_all

MOST_EVENTS = 40  # of several tables together; the lineage of one has no more
MOST_CHARACTERS = 500
MOST_COLUMNS = 100  # of a terminal
ADDED = "+"
ADDED_MEANS = "+: a statement has added or replaced rows of this version in place since"
ROLLED_BACK = "*"
ROLLED_BACK_MEANS = "*: published by a rollback"
STATE = "state"
BELOW = ("failed", "schema_change")
"""What is as long as it wants, and has lines of its own below the table."""


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


def recover(catalog: StagingCatalog, plan: ModelPlan, _: Arguments) -> list[Row]:
    """One row for each thing that was finished."""
    table = str(plan.context.target)
    return [{"table": table, "done": what} for what in catalog.recover(plan.context)]


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
    if is_vacuum:
        rows = vacuum_all(project, nodes, arguments)
        if not (nodes or rows):
            project.nodes(arguments)  # which says so
    else:
        rows = [row for node in nodes for row in _done(name, project, node, arguments)]
    if name == HISTORY and len(nodes) > 1:  # several tables by time; what failed comes first
        rows.sort(key=lambda row: str(row.get("time", "failed")), reverse=True)
        del rows[MOST_EVENTS:]
    failed = tuple(dict.fromkeys(str(row["table"]) for row in rows if "failed" in row))
    if as_json:
        return Outcome(text_of(rows, as_json=True), failed)
    if rows:
        is_of_one = arguments.get("model") is not None
        return Outcome(_printed(name, rows, is_of_one=is_of_one), failed)
    tables = shorten(", ".join(str(target_of(node)) for node in nodes), MOST_CHARACTERS)
    return Outcome(f"{name} found nothing; it looked at {tables or 'no table'}")


def _printed(name: str, rows: Sequence[Row], *, is_of_one: bool) -> str:
    """A table that a terminal does not wrap, and below it the lines that explain it."""
    done = [row for row in rows if "failed" not in row]
    is_rolled_back = any(_is_rollback(row) for row in done)
    left_out = {*BELOW}
    if name in {HISTORY, VACUUM} and is_of_one:
        left_out.add("table")
    if not (is_of_one and is_rolled_back):
        left_out.add("kind")
    if not is_of_one:  # the tables' names leave no room for the kind
        done = [_with_mark(row) for row in done]
    shown = [{key: one for key, one in row.items() if key not in left_out} for row in done]
    shown, reasons = _fitted(shown)
    notes = [
        *reasons,
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


def _fitted(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """The rows with numbers for reasons that the width has no room for, and these reasons."""
    names = {name for row in rows for name in row if name != STATE}
    widths = (
        max(len(str(one)) for one in (name, *(row.get(name) for row in rows))) for name in names
    )
    room = MOST_COLUMNS - sum(width + len(" | ") for width in widths) - len("|  |")
    numbers: dict[str, int] = {}

    def fitted(row: Row) -> Row:
        state, _, why = str(row.get(STATE, "")).partition(": ")
        if not why or len(row[STATE]) <= room:
            return row
        return {**row, STATE: f"{state} ({numbers.setdefault(why, len(numbers) + 1)})"}

    return [fitted(row) for row in rows], [f"({at}): {why}" for why, at in numbers.items()]


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
    return rows_of(target_of(node), of_node)


def _refuse_several(nodes: Sequence[Mapping[str, Any]]) -> None:
    """A rollback is of one table."""
    if len(nodes) > 1:
        raise InvalidArgumentError(
            f"{ROLLBACK} rolls back one table, and {len(nodes)} have that name",
            left="nothing was done",
            remedy=f"name one of {', '.join(str(node['unique_id']) for node in nodes)}",
        )
