"""Make a fork, on catalogs that allow two tables one location or not.

Some REST servers refuse that. There a fork is a copy of the target's metadata, which says another
location: no file lies there, as what is staged has directories of its own, and the location is no
part of what is published.
"""

import json
import logging
from collections.abc import Mapping
from uuid import uuid4

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    EntryMissingError,
    RefusedError,
)
from dbt.adapters.ctas_spark.staging.iceberg.facts import TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergTables, LoadedTable

logger = logging.getLogger(__name__)


def make_fork(
    tables: IcebergTables,
    record: TableName,
    base: LoadedTable,
    own: Mapping[str, str],
    folder: str,
) -> None:
    """Make ``record`` a fork of ``base``.

    Args:
        own: properties of the fork.
        folder: its own metadata directory.

    Raises:
        RefusedError: the catalog takes neither the second name nor a copy.
        MetastoreError: it may or may not have been made.
    """
    try:
        tables.register(record, base.facts.metadata_location)
    except RefusedError as refused:
        logger.debug("%s is staged as a copy of the metadata: %s", record, refused)
        _copy(tables, record, base, own, folder)
        return
    fork = tables.find(record)
    if fork is None:
        raise EntryMissingError(f"{record} was removed as soon as it was made")
    fork.with_properties(own)


def make_empty_fork(
    tables: IcebergTables, record: TableName, location: str, properties: Mapping[str, str]
) -> None:
    """Make an empty staged table, at the place that the table to create is to have.

    Raises:
        RefusedError: the catalog takes it nowhere.
        MetastoreError: it may or may not have been made.
    """
    try:
        tables.create_empty(record, location, properties)
    except RefusedError as refused:
        logger.debug("%s is staged elsewhere: %s", record, refused)
        tables.create_empty(record, tables.location_of_new(record), properties)


def copy_of(base: TableFacts, location: str, own: Mapping[str, str]) -> str:
    """JSON of the same table at another location, with more properties, and without a past."""
    properties = {**base.properties, **own}
    moved = {"location": location, "properties": properties, "metadata-log": []}
    return json.dumps({**base.document, **moved})


def _copy(
    tables: IcebergTables,
    record: TableName,
    base: LoadedTable,
    own: Mapping[str, str],
    folder: str,
) -> None:
    path = f"{folder}/00000-{uuid4()}.metadata.json"
    text = copy_of(base.facts, tables.location_of_new(record), own)
    tables.write_metadata(text, base, path)
    tables.register(record, path)
