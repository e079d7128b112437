"""What a rebuild of an Iceberg table would lose, or publish unreadable, whoever makes it.

It goes by the table's properties as SHOW TBLPROPERTIES shows them.
"""

from collections.abc import Mapping

from ..context import TableName
from ..publish.messages import NO_JOB, unsupported
from .facts import IDENTIFIER_FIELDS, SORT_ORDER

ENCRYPTION_KEY = "encryption.key-id"
WAP_MODE = "write.wap.enabled"
ELSEWHERE = ("spark.wap.id", "spark.wap.branch")
"""The session's settings by which a write to a table in WAP mode does not go to ``main``."""


def check_wap(
    target: TableName, properties: Mapping[str, str], elsewhere: str, left: str = NO_JOB
) -> None:
    """AtomicityNotSupportedError if a session that sets ``elsewhere`` writes to a WAP table.

    Iceberg's replace has removed ``main`` by the time the rows go elsewhere.
    """
    if elsewhere and properties.get(WAP_MODE, "false").lower() == "true":
        raise unsupported(
            target,
            f"{WAP_MODE} is true, and the session sets {elsewhere}: what the model writes would "
            "not go where it is staged",
            f"unset {elsewhere} in the session; every version is staged and checked anyway",
            left,
        )


def check_encryption(target: TableName, properties: Mapping[str, str]) -> None:
    """AtomicityNotSupportedError if the table, or what is to replace it, is encrypted."""
    encrypted = properties.get(ENCRYPTION_KEY)
    if encrypted:
        raise unsupported(
            target,
            f"{ENCRYPTION_KEY} is {encrypted}: a staged version's keys are not among the table's, "
            "and nobody could read the table after the publication",
            "have the storage encrypt instead, or build the table with materialized: incremental, "
            "whose commits are Iceberg's own",
        )


def check_replaceable(target: TableName, properties: Mapping[str, str]) -> None:
    """AtomicityNotSupportedError if a rebuild by a branch would keep it, and another drop it."""
    if SORT_ORDER in properties:
        raise unsupported(
            target,
            "the table has a sort order (WRITE ORDERED BY), which Iceberg's replace drops and does "
            "not apply to the model's rows",
            f"write ORDER BY in the model's query, run ALTER TABLE {target} WRITE UNORDERED, and "
            "remove the post-hook that sets the order",
        )
    if IDENTIFIER_FIELDS in properties:
        raise unsupported(
            target,
            "the table has identifier fields, which Iceberg's replace drops: the columns of a "
            "query's result may be null, and those of an identifier may not",
            f"run ALTER TABLE {target} DROP IDENTIFIER FIELDS with their names; an incremental "
            "model keeps them",
        )
