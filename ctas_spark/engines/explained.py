"""What EXPLAIN EXTENDED says of the tables that a query reads: all of it, or an error.

Spark cuts the text of a plan at ``spark.sql.maxPlanStringLength``, and what is read comes last.
"""

from ..context import TableName
from ..errors import StagingError

ANALYZED, OPTIMIZED = "== Analyzed Logical Plan ==", "== Optimized Logical Plan =="
"""The part in which names are resolved, and what follows it where nothing was cut."""
NOT_PLANNED = "Error occurred during query planning:"
CUT = " characters"
"""The end of a plan's text that was cut."""


def analyzed_plan(said: str, target: TableName) -> str:
    """The part of EXPLAIN's text that names each table, also those behind views.

    Raises:
        StagingError: the query can't be planned, or the text was cut.
    """
    before, _, plan = said.partition(ANALYZED)
    plan, is_whole, _ = plan.partition(OPTIMIZED)
    if is_whole:
        return plan
    if said.endswith(CUT):
        raise StagingError(
            "Spark cuts the plan of the model's query, so that it is not known whether it reads "
            "this very table",
            table=target,
            left="it is unchanged; no job was started",
            remedy="set spark.sql.maxPlanStringLength higher, or leave it at Spark's default",
        )
    raise StagingError(
        f"Spark can't plan the model's query: {before.removeprefix(NOT_PLANNED).strip()}",
        table=target,
        left="it is unchanged; no job was started",
        remedy="correct the query",
    )
