"""What a snapshot's table of files is to hold: its records after the changes, as one query."""

from collections.abc import Mapping

from dbt.adapters.ctas_spark.increments import Way, is_of_files
from dbt.adapters.ctas_spark.old_rows import ADDED, NEW, OLD, Side, of_both
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.staging import quoting

CHANGE, KEY = "dbt_change_type", "dbt_unique_key"
"""Columns that dbt adds to the changes, for the statement that applies them."""
SAME_RECORD = "__ctas_spark_same_record"
TWICE = "snapshot: unique_key is not unique in the snapshot's query; several rows change one record"
REMEDY = "cast it in the snapshot's query"
BY_STATEMENT = "the snapshot is created by dbt-spark's statement"


def way(existing: CtasSparkRelation | None) -> Way:
    """Decide how the snapshot writes; Delta and Iceberg have a MERGE, which is one commit."""
    if existing is None:
        return Way.WHOLE
    return Way.WITH_OLD_ROWS if is_of_files(existing) else Way.IN_PLACE


def query(
    node: str, names: Mapping[str, str], current: str | None, old: Side, changes: Side
) -> str:
    """Select the records of ``old`` after dbt's ``changes``, as dbt's own MERGE leaves them.

    Args:
        names: the table's names of dbt's columns.
        current: what a record that is valid now has in ``dbt_valid_to``, as SQL, next to NULL.

    Raises:
        ConfigurationError: as ``of_both``.
    """
    kept = {name: kind for name, kind in changes[1].items() if not _is_dbts(name)}
    columns = of_both(node, ADDED, old, (changes[0], kept), REMEDY)
    record, valid_to = (quoting.identifier(names[one]) for one in ("dbt_scd_id", "dbt_valid_to"))
    ends = f"{OLD}.{valid_to}"
    is_current = f"({ends} IS NULL" + (f" OR {ends} = {current})" if current else ")")
    ended = (
        f"CASE WHEN {NEW}.{SAME_RECORD} > 1 THEN raise_error({quoting.string(TWICE)}) "
        f"WHEN {NEW}.{SAME_RECORD} = 1 THEN {NEW}.{valid_to} ELSE {ends} END"
    )
    told = {name.lower(): one for name, one in columns.items()}
    values = {**told, names["dbt_valid_to"].lower(): ended}
    selected = ", ".join(
        f"{values[name.lower()]} AS {quoting.identifier(name)}" for name in columns
    )
    there = {name.lower() for name in kept}
    added = ", ".join(
        quoting.identifier(name) if name.lower() in there else f"NULL AS {quoting.identifier(name)}"
        for name in columns
    )
    ending = (
        f"SELECT {record}, max({valid_to}) AS {valid_to}, count(*) AS {SAME_RECORD} "  # noqa: S608 (quoted)
        f"FROM {changes[0]} WHERE {CHANGE} IN ('update', 'delete') GROUP BY {record}"
    )
    same = f"{OLD}.{record} = {NEW}.{record}"
    return (
        f"SELECT {selected} FROM {old[0]} AS {OLD} "  # noqa: S608 (quoted)
        f"LEFT JOIN ({ending}) AS {NEW} ON {same} AND {is_current} "
        f"UNION ALL SELECT {added} FROM {changes[0]} AS {NEW} "
        f"LEFT ANTI JOIN {old[0]} AS {OLD} ON {same} WHERE {NEW}.{CHANGE} = 'insert'"
    )


def _is_dbts(column: str) -> bool:
    name = column.lower()
    return name in (CHANGE, KEY) or name.startswith(f"{KEY}_")
