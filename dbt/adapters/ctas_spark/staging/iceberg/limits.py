"""What an Iceberg table may not have, or be asked for; it is found before any job."""

from collections.abc import Iterator, Mapping

from ..context import StagingContext, TableName
from ..errors import AtomicityNotSupportedError, RefusedError
from ..publish.messages import NO_JOB, unsupported
from ..publish.purposes import problems_of_any
from .facts import TableFacts
from .fork import DATA_PATH, KEEPS_ALL, OWN_PROPERTIES

LOCATION_PROVIDER = "write.location-provider.impl"
ENCRYPTION_KEY = "encryption.key-id"
WAP_MODE = "write.wap.enabled"
DEFAULTS, OVERRIDES = "table-default.", "table-override."


def problems(context: StagingContext) -> Iterator[str]:
    """Every setting of a model that only tables of files have, with what to do about it."""
    yield from problems_of_any(context, "Iceberg")
    if context.layout.clustered_by:
        yield "clustered_by and buckets: use partition_by: ['bucket(8, id)']"


def check(
    context: StagingContext, base: TableFacts | None, settings: Mapping[str, str], elsewhere: str
) -> None:
    """AtomicityNotSupportedError if table, catalog or session undo what a staged version needs.

    Args:
        settings: the catalog's, with what a REST server sends.
        elsewhere: the session's setting by which writes in WAP mode go elsewhere, if any.
    """
    target, asked = context.target, context.layout.properties
    own = {**(base.properties if base else {}), **asked}
    if elsewhere and own.get(WAP_MODE, "false").lower() == "true":
        raise unsupported(
            target,
            f"{WAP_MODE} is true, and the session sets {elsewhere}: what the model writes would "
            "not go where it is staged",
            f"unset {elsewhere} in the session; every version is staged and checked anyway",
        )
    _check_properties(target, own, settings)
    if base is not None:
        _check_replaceable(target, base)


def _check_properties(
    target: TableName, own: Mapping[str, str], settings: Mapping[str, str]
) -> None:
    for begin in (DEFAULTS, OVERRIDES):
        for key in OWN_PROPERTIES:
            _check_catalog(target, begin + key, key, settings.get(begin + key))
    provider, encrypted = (
        own.get(key) or settings.get(OVERRIDES + key) or settings.get(DEFAULTS + key)
        for key in (LOCATION_PROVIDER, ENCRYPTION_KEY)
    )
    if provider:
        raise unsupported(
            target,
            f"{LOCATION_PROVIDER} is {provider}: where a staged version's files lie would not be "
            "known, and so not what an abort may delete",
            f"remove the property; {DATA_PATH} moves data elsewhere, too",
        )
    if encrypted:
        raise unsupported(
            target,
            f"{ENCRYPTION_KEY} is {encrypted}: a staged version's keys are not among the table's, "
            "and nobody could read the table after the publication",
            "have the storage encrypt instead, or build the table with materialized: incremental, "
            "whose commits are Iceberg's own",
        )


def given_to_new(settings: Mapping[str, str]) -> dict[str, str]:
    """What the catalog says of a new table's properties that a fork has values of its own for."""
    said = {key: settings.get(OVERRIDES + key) or settings.get(DEFAULTS + key) for key in KEEPS_ALL}
    return {key: value for key, value in said.items() if value}


def _check_replaceable(target: TableName, base: TableFacts) -> None:
    """A rebuild by a branch would keep it, and one by a fork drop it."""
    if base.document.get("default-sort-order-id"):
        raise unsupported(
            target,
            "the table has a sort order (WRITE ORDERED BY), which Iceberg's replace drops and does "
            "not apply to the model's rows",
            f"write ORDER BY in the model's query, run ALTER TABLE {target} WRITE UNORDERED, and "
            "remove the post-hook that sets the order",
        )
    if base.schema.get("identifier-field-ids"):
        raise unsupported(
            target,
            "the table has identifier fields, which Iceberg's replace drops: the columns of a "
            "query's result may be null, and those of an identifier may not",
            f"run ALTER TABLE {target} DROP IDENTIFIER FIELDS with their names; an incremental "
            "model keeps them",
        )


def not_apart(target: TableName, record: TableName, left: str) -> AtomicityNotSupportedError:
    """The error for a staged version on which a commit could delete the target's files."""
    return unsupported(
        target,
        f"the staged version {record} lacks the properties that keep its commits from deleting "
        f"the table's files ({', '.join(OWN_PROPERTIES)}): the catalog, or somebody, changed them",
        "find what sets them (the catalog's server has defaults, too), and turn that off",
        left,
    )


class NoSecondNameError(AtomicityNotSupportedError):
    """The catalog takes no fork; another way to publish may do."""


def no_second_name(target: TableName, refused: RefusedError) -> NoSecondNameError:
    """The error for a catalog in which a fork can't be made."""
    return NoSecondNameError(
        "the catalog refuses a second name for the table's metadata, on which a version is staged, "
        f"and a copy of it elsewhere: {refused}",
        table=target,
        left=NO_JOB,
        remedy="allow the session's user to register tables in the staging schema",
    )


def _check_catalog(target: TableName, setting: str, key: str, value: str | None) -> None:
    if value is None or value.lower() == KEEPS_ALL.get(key):
        return
    raise unsupported(
        target,
        f"the catalog {target.catalog} sets {setting} to {value}: a staged version shares the "
        f"table's files, and needs a {key} of its own so that no commit on it deletes them",
        f"remove spark.sql.catalog.{target.catalog}.{setting} (or have the REST server no longer "
        f"send it), and set {key} in tblproperties of the models",
    )
