"""The tables of a dbt project that a run-operation is about; one's trouble stops no other."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ctas_spark.context import StagingContext, TableName, table_name
from ctas_spark.engines import jvm
from ctas_spark.errors import ConfigurationError, NoSuchModelError, NoSuchSchemaError, StagingError
from ctas_spark.options import ModelPlan, read_plan, staging_schema_of
from ctas_spark.publish.catalog import StagingCatalog
from dbt.adapters.ctas_spark import dbt_edge

logger = logging.getLogger(__name__)

MODELS = ("atomic_table", "table", "incremental")
PUBLISHED = (*MODELS, "seed", "snapshot")
RESOURCES = ("model", "seed", "snapshot")
SELECTORS = {"model": "name", "schema": "schema"}
"""Arguments that select models, and the key of each in dbt's nodes."""
ANY_TABLE = "any"
Row = dict[str, Any]
Arguments = Mapping[str, Any]
Rest = Callable[[], list[Row]]
"""What is still to do of an operation, and its rows."""


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
            materialized = f"{', '.join(MODELS[:-1])} or {MODELS[-1]}"
            raise NoSuchModelError(
                f"no table is published for {what}",
                left="nothing was done",
                remedy=f"only seeds, snapshots and models with materialized: {materialized} have "
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
        return read_plan(*about, target_of(node), self.default_schema)


def target_of(node: Mapping[str, Any]) -> TableName:
    """The table that a node publishes."""
    return table_name(node["database"], node["schema"], node["alias"])


def rows_of(target: TableName, work: Rest) -> list[Row]:
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


def rest_of(target: TableName, begin: Callable[[], Rest]) -> Rest:
    """The rest of what was begun; what fails in either half is a row."""
    rests: list[Rest] = []

    def first() -> list[Row]:
        rests.append(begin())
        return []

    failed = rows_of(target, first)
    return lambda: rows_of(target, rests[0]) if rests else failed


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
