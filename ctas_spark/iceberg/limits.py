"""What an Iceberg table may not have, or be asked for; it is found before any job."""

from collections.abc import Iterable, Iterator, Mapping

from ..context import StagingContext, TableName
from ..errors import AtomicityNotSupportedError, RefusedError
from ..publish.messages import NO_JOB, unsupported
from ..publish.purposes import problems_of_any
from .facts import TableFacts
from .fork import DATA_PATH, KEEPS_ALL, OWN_PROPERTIES
from .refusals import ENCRYPTION_KEY, check_encryption, check_replaceable, check_wap

LOCATION_PROVIDER = "write.location-provider.impl"
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
    check_wap(target, own, elsewhere)
    _check_properties(target, own, settings)
    if base is not None:
        check_replaceable(target, base.shown)


def _check_properties(
    target: TableName, own: Mapping[str, str], settings: Mapping[str, str]
) -> None:
    for begin in (DEFAULTS, OVERRIDES):
        for key in OWN_PROPERTIES:
            _check_catalog(target, begin + key, key, settings.get(begin + key))
    given = given_to_new(settings, (LOCATION_PROVIDER, ENCRYPTION_KEY))
    known = {**given, **{key: value for key, value in own.items() if value}}
    provider = known.get(LOCATION_PROVIDER)
    if provider:
        raise unsupported(
            target,
            f"{LOCATION_PROVIDER} is {provider}: it would not be known where a staged version's "
            "files lie, nor what an abort may delete",
            f"remove the property; {DATA_PATH} moves data elsewhere, too",
        )
    check_encryption(target, known)


def given_to_new(
    settings: Mapping[str, str], keys: Iterable[str] = tuple(KEEPS_ALL)
) -> dict[str, str]:
    """What the catalog says of a new table's properties: those of which a fork has its own."""
    said = {key: settings.get(OVERRIDES + key) or settings.get(DEFAULTS + key) for key in keys}
    return {key: value for key, value in said.items() if value}


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
        "the catalog refuses a second name for the table's metadata, under which a version would "
        f"be staged, and a copy of it elsewhere: {refused}",
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
