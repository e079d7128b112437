"""Which features of Delta a publication was tried with; any other is refused by name."""

import json
from collections.abc import Collection, Iterator
from typing import Any

from dbt.adapters.ctas_spark.staging.delta.facts import TableFacts

TRIED = frozenset(
    {
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
)
DELTAS_OWN = "delta."
CONSTRAINT = "delta.constraints."
GENERATED = "delta.generationExpression"
ON_IDENTITY = "delta.identity.step"
DEFAULT = "CURRENT_DEFAULT"
APPEND_ONLY = "delta.appendOnly"


def untried(table: TableFacts) -> tuple[str, ...]:
    """The features of the table's protocol that no publication was tried with."""
    return tuple(sorted(table.features - TRIED))


def is_append_only(table: TableFacts) -> bool:
    """True if the table forbids that its files are replaced."""
    return table.configuration.get(APPEND_ONLY, "").lower() == "true"


def ended_by_replace(base: TableFacts, asked: Collection[str]) -> tuple[str, ...]:
    """What a replace ends, because the model does not say it: constraints, properties and the like.

    Delta's own CREATE OR REPLACE TABLE AS ends the same. ``asked`` are the model's properties.
    """
    return tuple(_ended(base, asked))


def _ended(base: TableFacts, asked: Collection[str]) -> Iterator[str]:
    for key in sorted(base.configuration):
        if key.startswith(CONSTRAINT):
            yield f"constraint {key.removeprefix(CONSTRAINT)}"
        elif not key.startswith(DELTAS_OWN) and key not in asked:
            yield f"property {key}"
    fields: list[dict[str, Any]] = json.loads(str(base.metadata["schemaString"]))["fields"]
    kinds = {GENERATED: "generated", ON_IDENTITY: "identity", DEFAULT: "default of"}
    for field in fields:
        for key, what in kinds.items():
            if key in field["metadata"]:
                yield f"{what} column {field['name']}"
