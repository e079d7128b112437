"""What the user declares of a catalog, believed as far as a probe agrees."""

from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities
from dbt.adapters.ctas_spark.staging.catalogs.statement_kinds import (
    DECLARED,
    Listed,
    of_declaration,
    of_list,
)
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableLayout
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.statement.probe import Probe, scratch
from dbt.adapters.ctas_spark.staging.statement.services import StatementServices
from dbt.adapters.ctas_spark.staging.statement.sweep import sweep


def probed(
    services: StatementServices, layout: TableLayout, declared: Atomicity, listed: Listed | None
) -> Callable[[str], Capabilities]:
    """What was declared, once a probe has agreed; a level that is on the list needs none.

    Args:
        layout: names the format that the scratch table is made of.
        listed: what is known of the catalog, if anything is.

    Raises:
        AtomicityNotSupportedError: the catalog does not even say that it stages.
    """
    if listed is not None and declared.strength <= of_list(listed).reaches.strength:
        return lambda _: of_list(listed)

    tables = services.in_single_calls()
    if not tables.stages:
        raise _refused(
            tables.name,
            declared,
            listed,
            f"its class {tables.implementation} is no StagingTableCatalog, so that Spark "
            "drops a table before it creates the new one",
        )

    def find_out(staging_schema: str) -> Capabilities:
        name = tables.name
        left_over = StagingContext(scratch(name, staging_schema), staging_schema)
        sweep(left_over, services, RetentionRules())
        seen = Probe(services, staging_schema, layout).disagreement(declared)
        if seen is not None:
            saw = f"a probe on a scratch table, which is gone again, saw: {seen}"
            raise _refused(name, declared, listed, saw)
        return of_declaration(name, declared)

    return find_out


def _refused(
    name: str, declared: Atomicity, listed: Listed | None, why: str
) -> AtomicityNotSupportedError:
    if listed is not None:
        remedy = f"remove {name} from {DECLARED}: it is known, and reaches atomic"
    elif declared is Atomicity.ISOLATED:
        remedy = f"declare {name}: atomic, which is checked, too"
    else:
        remedy = f"remove {name} from {DECLARED}, and build tables in another catalog"
    return AtomicityNotSupportedError(
        f"{DECLARED} declares {declared.value} for the catalog {name}, and that is not so: {why}",
        left="no model of that catalog was started",
        remedy=remedy,
    )
