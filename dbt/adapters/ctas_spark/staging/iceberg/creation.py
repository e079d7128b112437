"""The metadata of a table that is created, out of the one that was staged."""

import json
from collections.abc import Mapping
from typing import Any

from dbt.adapters.ctas_spark.staging.iceberg.facts import MAIN, TableFacts

HISTORY_OF_FILES = ("metadata-log", "statistics", "partition-statistics")


def metadata_of_creation(
    staged: TableFacts,
    properties: Mapping[str, str],
    *,
    own: frozenset[int],
    uuid: str,
    location: str,
) -> str:
    """JSON of a table that begins with its staged snapshots.

    Args:
        properties: what is published instead of the staged table's own.
        own: the snapshots that this version added; where it was staged over a table that was
            dropped since, the others' files may be gone.
        uuid: the new table's identity.
        location: its directory; the staged table may say another.
    """
    document: dict[str, Any] = {
        key: value for key, value in staged.document.items() if key not in HISTORY_OF_FILES
    }
    references = staged.document.get("refs", {})
    document["table-uuid"] = uuid
    document["location"] = location
    document["properties"] = dict(properties)
    document["refs"] = {MAIN: references[MAIN]}
    document["snapshots"] = _only(staged.document["snapshots"], own)
    document["snapshot-log"] = _only(staged.document["snapshot-log"], frozenset({staged.main}))
    return json.dumps(document)


def _only(
    listed: list[Mapping[str, Any]], wanted: frozenset[int] | frozenset[int | None]
) -> list[Mapping[str, Any]]:
    return [one for one in listed if one["snapshot-id"] in wanted]
