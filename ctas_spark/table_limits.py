"""What Spark and its metastore can't hold, found before any job."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from . import quoting
from .context import SESSION_CATALOG, TableName
from .files.base import COLUMN_STATISTICS, OF_THE_METASTORE
from .files.reach import metastore_filters
from .publish.ddl import is_transform

# Spark's SessionCatalog.validateName, Hive's package.jdo, and what file systems hold.
NAME = re.compile(r"[A-Za-z0-9_]+")
MOST_OF_A_SCHEMA = 128
MOST_OF_A_DIRECTORY = 255
MOST_OF_A_KEY = 256
MOST_OF_A_PARTITION_COLUMN = 128

ICEBERG = "iceberg"
FIELDS = re.compile(r"(?:`(?:[^`]|``)*`|\([^()]*\)|[^,])+")
"""What commas separate, if they are neither in backticks nor in brackets."""
VARIABLE = "${"
GLOB = frozenset("*?[]{}\\")
ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:)?/.*", re.DOTALL)
"""A path from the root, with the scheme of its file system or without."""
SPARKS = "spark.sql."
SPARKS_RESERVED = ("provider", "location", "owner", "external", "is_managed_location", "collation")
METASTORES = ("EXTERNAL", "transient_lastDdlTime", COLUMN_STATISTICS, *OF_THE_METASTORE)


def check_names(target: TableName, staging_schema: str) -> Iterator[str]:
    """The names of table, schema and staging schema, as the session catalog holds them."""
    if target.catalog != SESSION_CATALOG:
        return
    yield from _characters("table", target.table, "alias")
    yield from _schema("schema", target.database)
    if staging_schema != target.database:
        yield from _schema("staging schema", staging_schema)
    if len(str(target)) > MOST_OF_A_DIRECTORY:
        yield (
            f"table {target}: its directory is named after schema and table, and may have "
            f"{MOST_OF_A_DIRECTORY} characters, but this name has {len(str(target))}; set a "
            f"shorter "
            "alias"
        )


def _schema(what: str, name: str) -> Iterator[str]:
    setting = what.replace(" ", "_")
    yield from _characters(what, name, setting)
    if len(name) > MOST_OF_A_SCHEMA:
        yield (
            f"{what} {name!r}: a metastore allows {MOST_OF_A_SCHEMA} characters, and this name has "
            f"{len(name)}; set a shorter {setting}"
        )


def _characters(what: str, name: str, setting: str) -> Iterator[str]:
    if not NAME.fullmatch(name):
        yield (
            f"{what} {name!r}: Spark's session catalog takes only ASCII letters, digits and "
            f"underscores; set another {setting}"
        )


def check_columns(config: Mapping[str, Any]) -> Iterator[str]:
    """Names that can't be written in a statement, a metastore's entry or a directory."""
    for key in ("partition_by", "clustered_by", "sorted_by"):
        for name in quoting.names(config.get(key)):
            if VARIABLE in name:  # Spark replaces variables inside backticks, too
                yield f"{key}: {name!r} contains {VARIABLE}, which Spark takes for a variable"
    tracked = config.get("partition_metadata") == "tracked"
    for name in quoting.names(config.get("partition_by")):
        yield from _partition_column(name, tracked=tracked)


def check_transforms(
    config: Mapping[str, Any], file_format: str, target: TableName
) -> Iterator[str]:
    """Transforms of columns, which only Iceberg has; Spark says so only when the job begins."""
    if target.catalog != SESSION_CATALOG or file_format == ICEBERG:
        return
    given = config.get("partition_by")
    texts = FIELDS.findall(given) if isinstance(given, str) else given
    for text in texts if isinstance(texts, list) else ():
        if isinstance(text, str) and is_transform(text):
            yield (
                f"partition_by: {text.strip()!r} is a transform, which only Iceberg tables have; "
                "select its value as a column, and give that. (A column of this name stands in "
                "backticks.)"
            )


def _partition_column(name: str, *, tracked: bool) -> Iterator[str]:
    if not name:
        yield "partition_by: a column without a name can't be a directory's name"
    elif name.startswith("."):
        yield (
            f"partition_by: {name!r} begins with a dot, and Spark does not read such "
            "directories; rename the column"
        )
    elif len(name) > MOST_OF_A_PARTITION_COLUMN:
        yield _too_long("partition_by", name, MOST_OF_A_PARTITION_COLUMN)
    if tracked and not metastore_filters(name):
        yield (
            f"partition_metadata: a metastore can't filter by the column {name!r}, whose name has "
            "other characters than ASCII letters, digits and inner underscores; use files"
        )


def check_keys(config: Mapping[str, Any]) -> Iterator[str]:
    """Keys that are too long for the metastore, or reserved, as Spark says only after the job."""
    for name in ("tblproperties", "options"):
        for key in map(str, config.get(name, ())):
            if len(key) > MOST_OF_A_KEY:
                yield _too_long(name, key, MOST_OF_A_KEY)
    for key in map(str, config.get("tblproperties", ())):
        if key.startswith(SPARKS) or key in SPARKS_RESERVED:
            yield f"tblproperties: {key!r} is reserved by Spark; remove it"
        elif key in METASTORES:
            yield f"tblproperties: {key!r} is written by the metastore itself; remove it"


def check_location(config: Mapping[str, Any]) -> Iterator[str]:
    """A relative path; characters that Spark reads as a pattern of other directories, or none."""
    root = config.get("location_root", "")
    if root and not ABSOLUTE.fullmatch(root):
        yield (
            f"location_root: {root!r} is relative, and Spark, its metastore and other engines "
            "look for it in different places; give a path that begins with / or a URI such as "
            "s3a://bucket/directory"
        )
    found = sorted(GLOB.intersection(root))
    if found:
        yield (
            f"location_root: {root!r} has {' '.join(found)}, which Spark reads as a pattern of "
            "paths; use another directory"
        )


def _too_long(config: str, name: str, most: int) -> str:
    return (
        f"{config}: a metastore holds {most} characters of the name {name[:20]!r}..., "
        f"and this has {len(name)}"
    )
