"""The actions of a publication, made of what base and staged table say: plain JSON, no JVM."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dbt.adapters.ctas_spark.staging.delta.facts import TableFacts

FEATURE = "delta.feature."
SUPPORTED = "supported"
OF_ITS_OWN_LOG = ("baseRowId", "defaultRowCommitVersion")
IDENTITY = ("id", "name", "createdTime")

Action = dict[str, Any]


def stage_name(version: str) -> str:
    """The directory of a version inside its table's; no name that Delta takes for hidden."""
    return f"stg_{version}"


def new_metadata(base: TableFacts, staged: TableFacts) -> Action:
    """The staged table's metadata with the base's identity.

    Features that only the staged protocol names are asked for as properties, which the transaction
    turns into an upgrade of the protocol; what metadata says by itself needs no word.
    """
    identity = {key: base.metadata[key] for key in IDENTITY if key in base.metadata}
    own = {key: value for key, value in staged.metadata.items() if key not in IDENTITY}
    missing = sorted(staged.features - base.features)
    features = {f"{FEATURE}{feature}": SUPPORTED for feature in missing}
    configuration = {**staged.configuration, **features}
    return {"metaData": {**own, **identity, "configuration": configuration}}


def lost(accepted: Mapping[str, Any], staged: Mapping[str, Any]) -> tuple[str, ...]:
    """What of the staged metadata the transaction has made into something else."""
    fields = ("schemaString", "partitionColumns", "description")
    changed = [field for field in fields if accepted.get(field) != staged.get(field)]
    wanted, found = staged.get("configuration") or {}, accepted.get("configuration") or {}
    return (*changed, *sorted(key for key in wanted if found.get(key) != wanted[key]))


def moved(add: Mapping[str, Any], version: str) -> Action:
    """A staged file as one of the target's: its path begins at the target's directory.

    Row ids count in the log that gives them, so the target's transaction gives new ones.
    """
    own = {key: value for key, value in add.items() if key not in OF_ITS_OWN_LOG}
    return {"add": {**own, "path": f"{stage_name(version)}/{add['path']}", "dataChange": True}}


def new_domains(
    base: Iterable[Mapping[str, Any]], staged: Iterable[Mapping[str, Any]]
) -> Iterator[Action]:
    """The staged table's domains (clustering columns), and the end of those that only base has.

    Args:
        base, staged: the fields of ``domainMetadata`` actions that users' features own.
    """
    wanted = {str(one["domain"]): one for one in staged}
    for one in wanted.values():
        yield {"domainMetadata": dict(one)}
    for one in base:
        if one["domain"] not in wanted:
            yield {"domainMetadata": {**one, "removed": True}}
