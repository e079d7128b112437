"""A model's configuration, read once into a validated plan; every problem is reported at once."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from types import MappingProxyType
from typing import Any

from dbt.adapters.ctas_spark import table_limits
from dbt.adapters.ctas_spark.credentials import sparks_text
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
from dbt.adapters.spark.impl import SparkConfig

FORMATS = ("parquet", "orc", "avro", "csv", "json", "text", "delta", "iceberg")
BAD_FORMATS = {
    "hudi": "reaches no level: giving up a staged replace deletes the live table's files",
    "paimon": "reaches no level: a replace truncates the live table before it writes (paimon#9994)",
}
OF_THE_PROFILE = ("iceberg_catalogs", "metastore_reads")
ABORT_TIMEOUT_SECONDS = 60
GRACE_PERIOD_SECONDS = 3_600
VERSIONS_TO_KEEP = 1
MILLISECONDS = 1_000
NEARLY = 0.85
STAGING_SUFFIX = "__ctas_spark"
NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass
class CtasSparkConfig(SparkConfig):
    """The model configs of this adapter; ``read_plan`` checks their values."""

    atomicity: str | None = None
    staging_purpose: str | None = None
    on_conflict: str | None = None
    partition_metadata: str | None = None
    abort_timeout: int | None = None
    versions_to_keep: int | None = None
    grace_period: int | None = None
    staging_schema: str | None = None
    sorted_by: list[str] | str | None = None


OWN = tuple(CtasSparkConfig.__annotations__)


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """What the configuration asks for, before anything is known of catalog and target."""

    context: StagingContext
    retention: RetentionRules
    abort_timeout_seconds: int


def read_plan(  # noqa: PLR0913 (what dbt knows of a model)
    model: str,
    config: Mapping[str, Any],
    description: str,
    target: TableName,
    default_schema: str | None,
    *,
    column_comments: Mapping[str, str] = NOTHING,
    full_refresh: bool = False,
) -> ModelPlan:
    """Validate a model's whole configuration.

    Args:
        config: the model's configuration as dbt resolved it.
        description: the model's description, published if ``persist_docs`` asks for it.
        default_schema: the profile's ``staging_schema``.
        column_comments: the columns' descriptions, published if ``persist_docs`` asks for them.
        full_refresh: rebuild what would be kept.

    Raises:
        ConfigurationError: names every problem, names that the catalog can't hold among them.
    """
    staging_schema = (
        config.get("staging_schema") or default_schema or target.database + STAGING_SUFFIX
    )
    problems = [
        *_unknown(config),
        *_invalid(config),
        *table_limits.check_names(target, str(staging_schema)),
    ]
    if problems:
        raise ConfigurationError(model, problems)
    context = StagingContext(
        target=target,
        staging_schema=staging_schema,
        purpose=_purpose(config, full_refresh=full_refresh),
        atomicity=Atomicity(config.get("atomicity") or Atomicity.AUTO),
        on_conflict=OnConflict(config.get("on_conflict") or OnConflict.ABORT),
        partition_metadata=PartitionMetadata(
            config.get("partition_metadata") or PartitionMetadata.AUTO
        ),
        layout=_layout(config, description, column_comments),
    )
    retention = RetentionRules(
        versions_to_keep=_number(config, "versions_to_keep", VERSIONS_TO_KEEP),
        grace_ms=_number(config, "grace_period", GRACE_PERIOD_SECONDS) * MILLISECONDS,
    )
    return ModelPlan(context, retention, _number(config, "abort_timeout", ABORT_TIMEOUT_SECONDS))


def _purpose(config: Mapping[str, Any], *, full_refresh: bool) -> StagingPurpose:
    purpose = StagingPurpose(config.get("staging_purpose") or StagingPurpose.CREATE_OR_REPLACE)
    rebuilds = full_refresh and purpose is StagingPurpose.CREATE_IF_NOT_EXISTS
    return StagingPurpose.CREATE_OR_REPLACE if rebuilds else purpose


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
    return {str(key): sparks_text(entry) for key, entry in (value or {}).items()}


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
    """What has the wrong shape is looked at no further."""
    wrong = misfits(config, SHAPES)
    yield from wrong.values()
    fitting = {name: config.get(name) for name in config if name not in wrong}
    for check in CHECKS:
        yield from check(fitting)


def misfits(values: Mapping[str, Any], shapes: Mapping[str, "Shape"]) -> dict[str, str]:
    """The values that don't have the shape of their name, each with what to say of it."""
    given = {name: values.get(name) for name in shapes}
    return {
        name: f"{name}: {value!r} is not {shapes[name][0]}"
        for name, value in given.items()
        if value is not None and not shapes[name][1](value)
    }


def is_text(value: object) -> bool:
    """Neither a number nor a list, which YAML may have made of it."""
    return isinstance(value, str)


def is_count(value: object) -> bool:
    """0, or more; a flag is no number."""
    return type(value) is int and value >= 0


def _is_columns(value: object) -> bool:
    return is_text(value) or (isinstance(value, list) and all(map(is_text, value)))


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _check_choices(config: Mapping[str, Any]) -> Iterator[str]:
    for name, choices in CHOICES.items():
        known = [str(choice.value) for choice in choices]
        given = config.get(name)
        if given is not None and given not in known:
            yield f"{name}: {given!r} is unknown; use one of {', '.join(known)}"


def _check_format(config: Mapping[str, Any]) -> Iterator[str]:
    given = str(config.get("file_format") or FORMATS[0]).lower()
    if given not in FORMATS:
        reason = BAD_FORMATS.get(given, "is unknown")
        yield f"file_format: {given!r} {reason}; use one of {', '.join(FORMATS)}"


def _check_buckets(config: Mapping[str, Any]) -> Iterator[str]:
    buckets, columns = config.get("buckets"), config.get("clustered_by")
    is_delta = str(config.get("file_format")).lower() == DELTA
    if (buckets is None) != (columns is None) and not (is_delta and buckets is None):
        yield "buckets and clustered_by: give both or none"
    elif buckets is not None and (not isinstance(buckets, int) or buckets < 1):
        yield f"buckets: {buckets!r} is not a count of at least 1"
    if config.get("sorted_by") is not None and buckets is None:
        yield "sorted_by: is the order within buckets; give clustered_by and buckets, too"


def _check_reserved(config: Mapping[str, Any]) -> Iterator[str]:
    for key in config.get("tblproperties") or ():
        if str(key).startswith(PREFIX):
            yield f"tblproperties: {key!r} is reserved for the marker of published versions"
    if "path" in {str(key).lower() for key in config.get("options") or ()}:
        yield "options: 'path' is decided by the version; use location_root"


Shape = tuple[str, Callable[[object], bool]]
SHAPES: Mapping[str, Shape] = {
    "abort_timeout": ("a number of seconds", is_count),
    "grace_period": ("a number of seconds", is_count),
    "versions_to_keep": ("a number of versions", is_count),
    "location_root": ("a text", is_text),
    "staging_schema": ("a text", is_text),
    "partition_by": ("a column name or a list of them", _is_columns),
    "clustered_by": ("a column name or a list of them", _is_columns),
    "sorted_by": ("a column name or a list of them", _is_columns),
    "options": ("a mapping", _is_mapping),
    "tblproperties": ("a mapping", _is_mapping),
    "persist_docs": ("a mapping", _is_mapping),
}
CHOICES: Mapping[str, type[Enum]] = {
    "atomicity": Atomicity,
    "staging_purpose": StagingPurpose,
    "on_conflict": OnConflict,
    "partition_metadata": PartitionMetadata,
}
CHECKS: tuple[Callable[[Mapping[str, Any]], Iterator[str]], ...] = (
    _check_choices,
    _check_format,
    _check_buckets,
    _check_reserved,
    table_limits.check_columns,
    table_limits.check_keys,
    table_limits.check_location,
)
