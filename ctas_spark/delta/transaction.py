"""The commits that this adapter makes on a Delta table: a publication, or a fence.

The actions of a publication are plain JSON, made from what base and staged table say.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..engines import jvm
from ..errors import RefusedError
from ..publish.version import before_the_call
from .facts import Action, CommitMarker, Files, TableFacts
from .tables import DeltaTables, LoadedTable, core_errors

FEATURE = "delta.feature."
OF_ITS_OWN_LOG = ("baseRowId", "defaultRowCommitVersion")
IDENTITY = ("id", "name", "createdTime")


def publish(
    tables: DeltaTables,
    over: LoadedTable,
    staged: LoadedTable,
    marker: CommitMarker,
    check: Callable[[Files], None],
) -> None:
    """Make the staged table's schema, layout, properties and files those of the target.

    The transaction has read the whole table at ``over``: what another commits meanwhile is a
    conflict. The files stay where they were staged, below the target's directory. ``check`` is the
    last look at them, when all is ready; nothing was called if it raises.

    Raises:
        EntryModifiedError: another committed first.
        RefusedError: Delta refuses what was staged, or changes it.
        MetastoreError: the commit may or may not be in the log.
    """
    with before_the_call(), core_errors("prepare the commit"):
        transaction = _begun(tables, over)
        transaction.readWholeTable()
        metadata = _action(tables, new_metadata(over.facts, staged.facts))
        transaction.updateMetadataForNewTableInReplace(metadata)
        accepted = json.loads(str(transaction.metadata().json()))["metaData"]
        check_kept(accepted, staged.facts.metadata)
        files = tables.added(staged)
        actions = changes(tables, over, staged, files, marker)
        check(files)
    with core_errors("commit"):
        operation = _operation(tables, transaction.metadata(), marker, builds=True)
        transaction.commit(actions, operation)


def fence(tables: DeltaTables, table: LoadedTable, marker: CommitMarker) -> None:
    """Commit the same metadata again: every attempt over an older version is then refused.

    Raises EntryModifiedError if another committed first.
    """
    with core_errors("fence"):
        transaction, metadata = _begun(tables, table), table.snapshot.metadata()
        ignores_defaults = False
        transaction.updateMetadata(metadata, ignores_defaults)
        operation = _operation(tables, metadata, marker, builds=False)
        transaction.commit(jvm.sequence(tables.packages, []), operation)


def stage_name(version: str) -> str:
    """The directory of a version inside its table's; the name is not hidden from Delta."""
    return f"stg_{version}"


def new_metadata(base: TableFacts, staged: TableFacts) -> Action:
    """The staged table's metadata with the base's identity.

    Features that only the staged protocol names are asked for as properties, which the transaction
    turns into an upgrade of the protocol; what metadata implies is not asked for.
    """
    identity = {key: base.metadata[key] for key in IDENTITY if key in base.metadata}
    own = {key: value for key, value in staged.metadata.items() if key not in IDENTITY}
    missing = sorted(staged.features - base.features)
    features = {f"{FEATURE}{feature}": "supported" for feature in missing}
    configuration = {**staged.configuration, **features}
    return {"metaData": {**own, **identity, "configuration": configuration}}


def check_kept(accepted: Mapping[str, Any], staged: Mapping[str, Any]) -> None:
    """Raise RefusedError if the transaction has made something else of the staged metadata."""
    fields = ("schemaString", "partitionColumns", "description")
    changed = [field for field in fields if accepted.get(field) != staged.get(field)]
    wanted, found = staged.get("configuration") or {}, accepted.get("configuration") or {}
    changed += sorted(key for key in wanted if found.get(key) != wanted[key])
    if changed:
        raise RefusedError(f"Delta would change what was staged: {', '.join(changed)}")


def moved(add: Mapping[str, Any], version: str) -> Action:
    """A staged file as one of the target's: its path begins at the target's directory.

    Row ids count in the log that gives them, so the target's transaction gives new ones. The path
    of a deletion vector begins at its own table's directory; a CTAS writes none.
    """
    if add.get("deletionVector"):
        raise RefusedError(f"rows were deleted from the staged table ({add['path']})")
    own = {key: value for key, value in add.items() if key not in OF_ITS_OWN_LOG}
    return {**own, "path": f"{stage_name(version)}/{add['path']}", "dataChange": True}


def new_domains(
    base: Iterable[Mapping[str, Any]], staged: Iterable[Mapping[str, Any]]
) -> Iterator[Action]:
    """The staged table's domains (clustering columns), and the end of those that only base has."""
    wanted = {str(one["domain"]): one for one in staged}
    for one in wanted.values():
        yield {"domainMetadata": dict(one)}
    for one in base:
        if one["domain"] not in wanted:
            yield {"domainMetadata": {**one, "removed": True}}


def _begun(tables: DeltaTables, table: LoadedTable) -> Any:
    snapshot = tables.packages.scala.Option.apply(table.snapshot)
    return table.log.startTransaction(table.entry, snapshot)


def changes(
    tables: DeltaTables, over: LoadedTable, staged: LoadedTable, files: Files, marker: CommitMarker
) -> Any:
    """A Seq that is made in the JVM: a call for each of 20,000 files would take minutes."""
    made = tables.packages.java.util.ArrayList()
    made.addAll(tables.removals(over, marker.time_ms))
    made.addAll(tables.additions([moved(add, marker.version) for add in files.values()]))
    domains = new_domains(over.domains(), staged.domains())
    made.addAll([_action(tables, one) for one in domains])
    return jvm.sequence(tables.packages, made)


def _action(tables: DeltaTables, action: Action) -> Any:
    made = tables.packages.org.apache.spark.sql.delta.actions.Action
    return made.fromJson(json.dumps(action))


def _operation(tables: DeltaTables, metadata: Any, marker: CommitMarker, *, builds: bool) -> Any:
    """Delta's REPLACE TABLE, which carries user metadata: a session's setting is every thread's."""
    java = tables.packages
    made = getattr(java.org.apache.spark.sql.delta, "DeltaOperations$ReplaceTable")
    option = java.scala.Option
    text, nothing = option.apply(marker.to_text()), option.empty()
    is_managed, or_create, as_select = False, builds, builds
    return made(metadata, is_managed, or_create, as_select, text, *(nothing,) * 6)
