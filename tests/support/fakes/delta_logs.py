"""Tables and commits for the tests next to this file, as Delta's log describes them."""

import json
from collections.abc import Mapping

from ctas_spark.delta.facts import CommitFacts, CommitMarker, TableFacts
from ctas_spark.publish.marker import PublicationKind

NOTHING: Mapping[str, str] = {}
ID_COLUMN = {"name": "id", "type": "long", "nullable": True, "metadata": {}}


def table(  # noqa: PLR0913 (what tables differ in)
    number: int = 0,
    *,
    identity: str = "id-1",
    root: str = "file:/t",
    configuration: Mapping[str, str] = NOTHING,
    features: tuple[str, ...] = (),
    column: Mapping[str, object] = ID_COLUMN,
) -> TableFacts:
    """A table of one column."""
    metadata = {
        "id": identity,
        "createdTime": 1,
        "schemaString": json.dumps({"type": "struct", "fields": [column]}),
        "partitionColumns": [],
        "configuration": dict(configuration),
    }
    protocol = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": list(features)}
    return TableFacts(root, number, metadata, protocol)


def theirs(number: int) -> CommitFacts:
    """A commit without our marker."""
    return CommitFacts(number, "WRITE", 0, None)


def ours(
    number: int, version: str = "v1", kind: PublicationKind = PublicationKind.BUILD
) -> CommitFacts:
    """A commit with our marker; its commit id is ``c`` and the number."""
    marker = CommitMarker(f"c{number}", version, "", "db.t", "isolated", kind, 0)
    return CommitFacts(number, "REPLACE", 0, marker)
