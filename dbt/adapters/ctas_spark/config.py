"""A model's configuration, read once into a validated plan; every problem is reported at once."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from types import MappingProxyType
from typing import Any

from dbt.adapters.ctas_spark import table_limits
from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import (
    DELTA,
    Atomicity,
    OnConflict,
    PartitionMetadata,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)
from dbt.adapters.ctas_spark.staging.errors import ConfigurationError
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules

FORMATS = ("parquet", "orc", "avro", "csv", "json", "text", "delta", "iceberg")
BAD_FORMATS = {
    "hudi": "reaches no level: giving up a staged replace deletes the live table's files",
    "paimon": "reaches no level: a replace truncates the live table before it writes (paimon#9994)",
}
OF_THE_PROFILE = ("iceberg_catalogs", "metastore_reads")
OWN = (
    "atomicity",
    "staging_purpose",
    "on_conflict",
    "partition_metadata",
    "abort_timeout",
    "versions_to_keep",
    "grace_period",
    "staging_schema",
)
ABORT_TIMEOUT_SECONDS = 60
GRACE_PERIOD_SECONDS = 3_600
VERSIONS_TO_KEEP = 1
MILLISECONDS = 1_000
NEARLY = 0.85
STAGING_SUFFIX = "__ctas_spark"
NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """What the configuration asks for, before anything is known of catalog and target."""

    model: str
    purpose: StagingPurpose
    atomicity: Atomicity
    on_conflict: OnConflict
    partition_metadata: PartitionMetadata
    abort_timeout_seconds: int
    retention: RetentionRules
    layout: TableLayout
    staging_schema: str | None

    def context(self, target: TableName, *, full_refresh: bool) -> StagingContext:
        """The plan for one target; a full refresh rebuilds what would be kept.

        Raises:
            ConfigurationError: names that the catalog can't hold.
        """
        staging_schema = self.staging_schema or target.database + STAGING_SUFFIX
        problems = list(table_limits.check_names(target, staging_schema))
        if problems:
            raise ConfigurationError(self.model, problems)
        kept = self.purpose is StagingPurpose.CREATE_IF_NOT_EXISTS
        rebuilt = full_refresh and kept
        return StagingContext(
            target=target,
            staging_schema=staging_schema,
            purpose=StagingPurpose.CREATE_OR_REPLACE if rebuilt else self.purpose,
            atomicity=self.atomicity,
            on_conflict=self.on_conflict,
            layout=self.layout,
            partition_metadata=self.partition_metadata,
        )


def read_plan(
    model: str,
    config: Mapping[str, Any],
    description: str,
    default_schema: str | None,
    column_comments: Mapping[str, str] = NOTHING,
) -> ModelPlan:
    """Validate a model's whole configuration.

    Args:
        config: the model's configuration as dbt resolved it.
        description: the model's description, published if ``persist_docs`` asks for it.
        default_schema: the profile's ``staging_schema``.
        column_comments: the columns' descriptions, published if ``persist_docs`` asks for them.

    Raises:
        ConfigurationError: names every problem.
    """
    problems = [*_unknown(config), *_invalid(config)]
    if problems:
        raise ConfigurationError(model, problems)
    return ModelPlan(
        model=model,
        purpose=StagingPurpose(config.get("staging_purpose") or StagingPurpose.CREATE_OR_REPLACE),
        atomicity=Atomicity(config.get("atomicity") or Atomicity.AUTO),
        on_conflict=OnConflict(config.get("on_conflict") or OnConflict.ABORT),
        partition_metadata=PartitionMetadata(
            config.get("partition_metadata") or PartitionMetadata.AUTO
        ),
        abort_timeout_seconds=_number(config, "abort_timeout", ABORT_TIMEOUT_SECONDS),
        retention=_retention(config),
        layout=_layout(config, description, column_comments),
        staging_schema=config.get("staging_schema") or default_schema,
    )


def _retention(config: Mapping[str, Any]) -> RetentionRules:
    return RetentionRules(
        versions_to_keep=_number(config, "versions_to_keep", VERSIONS_TO_KEEP),
        grace_ms=_number(config, "grace_period", GRACE_PERIOD_SECONDS) * MILLISECONDS,
    )


def _number(config: Mapping[str, Any], name: str, default: int) -> int:
    given = config.get(name)
    return default if given is None else int(given)


def _layout(
    config: Mapping[str, Any], description: str, column_comments: Mapping[str, str]
) -> TableLayout:
    docs = config.get("persist_docs") or {}
    return TableLayout(
        file_format=(config.get("file_format") or FORMATS[0]).lower(),
        format_given=bool(config.get("file_format")),
        partition_by=quoting.names(config.get("partition_by")),
        clustered_by=quoting.names(config.get("clustered_by")),
        sorted_by=quoting.names(config.get("sorted_by")),
        buckets=config.get("buckets"),
        location_root=config.get("location_root"),
        comment=description if docs.get("relation", False) else None,
        column_comments=column_comments if docs.get("columns", False) else NOTHING,
        options=_texts(config.get("options")),
        properties=_texts(config.get("tblproperties")),
    )


def _texts(value: Mapping[str, Any] | None) -> dict[str, str]:
    return {str(key): _text(entry) for key, entry in (value or {}).items()}


def _text(value: Any) -> str:
    """Spark's spelling of a YAML value."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unknown(config: Mapping[str, Any]) -> Iterator[str]:
    """Names that belong elsewhere, and names that are nearly ours."""
    for name in config:
        if name in OF_THE_PROFILE:
            yield f"{name}: belongs in the profile, and not in the configuration of a model"
        elif name not in OWN:
            near = get_close_matches(name, OWN, n=1, cutoff=NEARLY)
            if near:
                yield f"{name}: unknown; did you mean {near[0]}?"


def _invalid(config: Mapping[str, Any]) -> Iterator[str]:
    for check in CHECKS:
        yield from check(config)


def _one_of(name: str, values: tuple[Enum, ...]) -> "Check":
    """A check that the named config is one of the values."""
    known = [str(value.value) for value in values]

    def check(config: Mapping[str, Any]) -> Iterator[str]:
        given = config.get(name)
        if given is None or given in known:
            return
        yield f"{name}: {given!r} is unknown; use one of {', '.join(known)}"

    return check


def _check_format(config: Mapping[str, Any]) -> Iterator[str]:
    given = str(config.get("file_format") or FORMATS[0]).lower()
    if given not in FORMATS:
        reason = BAD_FORMATS.get(given, "is unknown")
        yield f"file_format: {given!r} {reason}; use one of {', '.join(FORMATS)}"


def _check_numbers(config: Mapping[str, Any]) -> Iterator[str]:
    units = {
        "abort_timeout": "seconds",
        "grace_period": "seconds",
        "versions_to_keep": "versions",
    }
    for name, unit in units.items():
        given = config.get(name)
        if given is not None and (type(given) is not int or given < 0):
            yield f"{name}: {given!r} is not a number of {unit}"


def _check_columns(config: Mapping[str, Any]) -> Iterator[str]:
    for name in ("partition_by", "clustered_by", "sorted_by"):
        value = config.get(name)
        listed = isinstance(value, list) and all(isinstance(item, str) for item in value)
        if value is not None and not isinstance(value, str) and not listed:
            yield f"{name}: {value!r} is not a column name or a list of them"


def _check_buckets(config: Mapping[str, Any]) -> Iterator[str]:
    buckets, columns = config.get("buckets"), config.get("clustered_by")
    is_delta = str(config.get("file_format")).lower() == DELTA
    if (buckets is None) != (columns is None) and not (is_delta and buckets is None):
        yield "buckets and clustered_by: give both or none"
    elif buckets is not None and (not isinstance(buckets, int) or buckets < 1):
        yield f"buckets: {buckets!r} is not a count of at least 1"
    if config.get("sorted_by") is not None and buckets is None:
        yield "sorted_by: is the order within buckets; give clustered_by and buckets, too"


def _check_texts(config: Mapping[str, Any]) -> Iterator[str]:
    for name in ("location_root", "staging_schema"):
        value = config.get(name)
        if value is not None and not isinstance(value, str):
            yield f"{name}: {value!r} is not a text"


def _check_mappings(config: Mapping[str, Any]) -> Iterator[str]:
    for name in ("options", "tblproperties", "persist_docs"):
        value = config.get(name)
        if value is not None and not isinstance(value, Mapping):
            yield f"{name}: {value!r} is not a mapping"


def _check_reserved(config: Mapping[str, Any]) -> Iterator[str]:
    properties = config.get("tblproperties")
    for key in properties if isinstance(properties, Mapping) else ():
        if str(key).startswith(PREFIX):
            yield f"tblproperties: {key!r} is reserved for the marker of published versions"
    options = config.get("options")
    if isinstance(options, Mapping) and "path" in {str(key).lower() for key in options}:
        yield "options: 'path' is decided by the version; use location_root"


Check = Callable[[Mapping[str, Any]], Iterator[str]]
CHECKS: tuple[Check, ...] = (
    _one_of("atomicity", tuple(Atomicity)),
    _one_of("staging_purpose", tuple(StagingPurpose)),
    _one_of("on_conflict", tuple(OnConflict)),
    _one_of("partition_metadata", tuple(PartitionMetadata)),
    _check_numbers,
    _check_format,
    _check_columns,
    _check_buckets,
    _check_texts,
    _check_mappings,
    _check_reserved,
    table_limits.check_columns,
    table_limits.check_partition_columns,
    table_limits.check_tracked_partitions,
    table_limits.check_keys,
    table_limits.check_properties,
    table_limits.check_location,
)
