"""What is known of the catalogs that publish by a statement, without asking them.

On the list is what a suite of this project ran; of the others some are known to keep less than they
say. What is not on it needs a declaration of the user's, and a probe that agrees.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities, ConflictCheck
from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.publish import ways

NOT_ISOLATED = (
    "a rival's commit between our last look and the statement is not noticed: the last writer wins"
)
DECLARED = "catalog_atomicity"
NO_STAGING: Mapping[str, str] = {
    "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog": (
        "it stages nothing, so that Spark drops the table and creates it anew, and a failure in "
        "between leaves none"
    ),
}
"""Catalogs that are no StagingTableCatalog, by class: no declaration helps."""
BAD_STAGING: Mapping[str, str] = {
    "org.apache.paimon.spark.SparkCatalog": (
        "a replace truncates the live table before it writes (paimon#9994)"
    ),
    "org.apache.spark.sql.hudi.catalog.HoodieCatalog": (
        "giving up a staged replace deletes the live table's files"
    ),
}
"""Catalogs that stage, and keep nothing all the same: read in their sources."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A catalog that a suite ran at ``atomic``; ``why_not_more`` is what it found."""

    kind: str
    why_not_more: str
    remedy: str


HADOOP = Listed(
    "iceberg (hadoop)",
    "a hadoop catalog's table is its directory, so that there is no second name on which to stage "
    f"a version; {NOT_ISOLATED}, and "
    "a DROP and CREATE while the statement runs leaves a table without files",
    "use a catalog of type hive, jdbc or rest, or set atomicity: auto",
)


def of_list(listed: Listed) -> Capabilities:
    """What a catalog on the list reaches."""
    return Capabilities(
        listed.kind,
        ConflictCheck.NONE,
        Atomicity.ATOMIC,
        listed.why_not_more,
        listed.remedy,
        replaces_by=ways.REPLACE,
        needs_jvm=False,
    )


def of_declaration(catalog: str, level: Atomicity) -> Capabilities:
    """What a catalog reaches whose declaration a probe agreed with."""
    if level is Atomicity.ISOLATED:
        return Capabilities("declared", ConflictCheck.CAS, level, replaces_by=ways.REPLACE)
    return Capabilities(
        "declared",
        ConflictCheck.NONE,
        level,
        f"{DECLARED} in the profile declares {level.value} for it; {NOT_ISOLATED}",
        f"declare {catalog}: isolated, if its commits refuse another's before them (a probe checks "
        "that), or set atomicity: auto",
        replaces_by=ways.REPLACE_AS_DECLARED,
        needs_jvm=False,
    )
