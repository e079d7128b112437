"""What Delta can't do, or no publication was tried with; found before any job."""

import json
from collections.abc import Collection, Iterator
from typing import Any

from ..context import StagingContext, TableName
from ..publish.messages import unsupported
from ..publish.purposes import problems_of_any
from .facts import TableFacts

TRIED_JARS = {
    "4.1": "io.delta:delta-spark_4.1_2.13:4.4.0",
    "4.2": "io.delta:delta-spark_4.2_2.13:4.4.0",
}
TRIED_FEATURES = {
    "appendOnly",
    "changeDataFeed",
    "checkConstraints",
    "clustering",
    "columnMapping",
    "deletionVectors",
    "domainMetadata",
    "generatedColumns",
    "identityColumns",
    "inCommitTimestamp",
    "invariants",
    "timestampNtz",
    "variantType",
}
DELTAS_OWN = "delta."
CONSTRAINT = "delta.constraints."
COMPUTED = {
    "delta.generationExpression": "generated",
    "delta.identity.step": "identity",
    "CURRENT_DEFAULT": "default of",
    "delta.invariants": "invariant of",
}
APPEND_ONLY = "delta.appendOnly"
UNTRIED_PROPERTIES = (
    "delta.enableRowTracking",
    "delta.enableIcebergCompat",
    "delta.universalFormat.",
    "delta.enableTypeWidening",
    "delta.feature.",
    "delta.checkpointPolicy",
)


def check(facts: TableFacts, target: TableName, left: str) -> None:
    """Raise AtomicityNotSupportedError if no transaction can replace the table."""
    remedy = "drop the feature (ALTER TABLE ... DROP FEATURE), or give the model another alias"
    _check_features(facts, "the table uses", target, left, remedy)
    if facts.configuration.get(APPEND_ONLY, "").lower() == "true":
        what = f"the rows of the table must not be replaced ({APPEND_ONLY} is true)"
        remedy = f"ALTER TABLE {target} SET TBLPROPERTIES ('{APPEND_ONLY}'='false')"
        raise unsupported(target, what, remedy, left)


def check_staged(facts: TableFacts, target: TableName, left: str) -> None:
    """Raise AtomicityNotSupportedError if the staged table can't be published."""
    remedy = "leave out the property or the column type that needs them"
    _check_features(facts, "the staged table needs", target, left, remedy)


def _check_features(
    facts: TableFacts, uses: str, target: TableName, left: str, remedy: str
) -> None:
    untried = sorted(facts.features - TRIED_FEATURES)
    if untried:
        which = ", ".join(untried)
        what = f"{uses} features of Delta that publications were not tested with: {which}"
        raise unsupported(target, what, remedy, left)


def problems(context: StagingContext) -> Iterator[str]:
    """Every problem, with what to do about it."""
    layout = context.layout
    yield from problems_of_any(context, "Delta")
    if layout.buckets is not None:
        yield "buckets: Delta has none; without it, clustered_by becomes CLUSTER BY"
    if layout.clustered_by and layout.partition_by:
        yield "clustered_by and partition_by: Delta takes only one of them"
    for key, value in layout.properties.items():
        if key.startswith(UNTRIED_PROPERTIES):
            yield f"tblproperties: {key}: publications were not tested with it; remove it"
        elif key.lower() == APPEND_ONLY.lower() and value.lower() == "true":
            yield f"tblproperties: {key}: such a table can't be published a second time; remove it"


def ended_by_replace(base: TableFacts, asked: Collection[str]) -> Iterator[str]:
    """What a replace ends, because the model does not say it: constraints, properties and the like.

    Delta's own CREATE OR REPLACE TABLE AS ends the same. ``asked`` are the model's properties.
    """
    for key in sorted(base.configuration):
        if key.startswith(CONSTRAINT):
            yield f"constraint {key.removeprefix(CONSTRAINT)}"
        elif not key.startswith(DELTAS_OWN) and key not in asked:
            yield f"property {key}"
    fields: list[dict[str, Any]] = json.loads(str(base.metadata["schemaString"]))["fields"]
    for field in fields:
        if not field.get("nullable", True):
            yield f"NOT NULL of column {field['name']}"
        for key, what in COMPUTED.items():
            if key in field["metadata"]:
                yield f"{what} column {field['name']}"
