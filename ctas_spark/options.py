"""A model's configuration, read once into a validated plan; every problem is reported at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from typing import Any

from . import quoting, table_limits
from .clock import SECOND_MS
from .context import (
    DELTA,
    Atomicity,
    OnConflict,
    PartitionMetadata,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
    table_name,
)
from .errors import ConfigurationError
from .publish.marker import PREFIX
from .retention.rules import RetentionRules

FORMATS = ("parquet", "orc", "avro", "csv", "json", "text", "delta", "iceberg")
BAD_FORMATS = {
    "hudi": "reaches no level: giving up a staged replace deletes the live table's files",
    "paimon": "reaches no level: a replace truncates the live table before it writes (paimon#9994)",
}
OF_THE_PROFILE = ("iceberg_catalogs", "metastore_reads", "metastore")
ABORT_TIMEOUT_SECONDS = 60
GRACE_PERIOD_SECONDS = 3_600
VERSIONS_TO_KEEP = 1
NEARLY = 0.85
NEARLY_WITHOUT_CASE = 0.9
STAGING_SUFFIX = "__ctas_spark"
ONE_OF = "one of "
MEANT = {"version": "isolated", "versions": "isolated"}
"""Values that say in other words what a choice does."""
Shape = tuple[str, Callable[[object], bool]]


@dataclass
class OwnConfigs:
    """The model configs that dbt-spark does not have; ``read_plan`` checks their values."""

    atomicity: str | None = None
    staging_purpose: str | None = None
    on_conflict: str | None = None
    partition_metadata: str | None = None
    abort_timeout: int | None = None
    versions_to_keep: int | None = None
    grace_period: int | None = None
    staging_schema: str | None = None
    sorted_by: list[str] | str | None = None


OWN = tuple(OwnConfigs.__annotations__)
OF_A_TABLE = (
    *("file_format", "location_root", "partition_by", "clustered_by", "buckets", "options"),
    *("tblproperties", "persist_docs"),
)
CONFIGS = (*OWN, *OF_A_TABLE)


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
    column_comments: Mapping[str, str] | None = None,
    full_refresh: bool = False,
) -> ModelPlan:
    """Validate a model's whole configuration.

    ``description`` and ``column_comments`` are published if ``persist_docs`` asks for them;
    ``default_schema`` is the profile's ``staging_schema``.

    Raises:
        ConfigurationError: names every problem, and names that the catalog can't hold.
    """
    given = {name: value for name in config if (value := config.get(name)) is not None}
    staging_schema = staging_schema_of(given, target, default_schema)
    names = table_limits.check_names(target, staging_schema)
    transforms = table_limits.check_transforms(given, _format(given), target)
    problems = [*_unknown(given), *_invalid(given), *transforms, *names]
    if problems:
        raise ConfigurationError(model, problems)
    context = StagingContext(
        target,
        staging_schema,
        _purpose(given, full_refresh=full_refresh),
        Atomicity(given.get("atomicity", Atomicity.AUTO)),
        OnConflict(given.get("on_conflict", OnConflict.ABORT)),
        _layout(given, description, column_comments or {}),
        PartitionMetadata(given.get("partition_metadata", PartitionMetadata.AUTO)),
    )
    retention = RetentionRules(
        versions_to_keep=given.get("versions_to_keep", VERSIONS_TO_KEEP),
        grace_ms=given.get("grace_period", GRACE_PERIOD_SECONDS) * SECOND_MS,
    )
    return ModelPlan(context, retention, given.get("abort_timeout", ABORT_TIMEOUT_SECONDS))


def staging_schema_of(given: Mapping[str, Any], target: TableName, default: str | None) -> str:
    """Where a model's records are: its own setting, the profile's, or by its schema.

    Spelt as the target's catalog spells it: a metastore lists small letters only.
    """
    named = given.get("staging_schema") or default or target.database + STAGING_SUFFIX
    return table_name(target.catalog, str(named), target.table).database


def _purpose(given: Mapping[str, Any], *, full_refresh: bool) -> StagingPurpose:
    purpose = StagingPurpose(given.get("staging_purpose", StagingPurpose.CREATE_OR_REPLACE))
    rebuilds = full_refresh and purpose is StagingPurpose.CREATE_IF_NOT_EXISTS
    return StagingPurpose.CREATE_OR_REPLACE if rebuilds else purpose


def _layout(
    given: Mapping[str, Any], description: str, column_comments: Mapping[str, str]
) -> TableLayout:
    docs = given.get("persist_docs", {})
    return TableLayout(
        file_format=_format(given),
        format_given=bool(given.get("file_format")),
        partition_by=quoting.names(given.get("partition_by")),
        clustered_by=quoting.names(given.get("clustered_by")),
        sorted_by=quoting.names(given.get("sorted_by")),
        buckets=given.get("buckets"),
        location_root=given.get("location_root"),
        comment=description if docs.get("relation", False) else None,
        column_comments=column_comments if docs.get("columns", False) else {},
        options=quoting.sparks_texts(given.get("options", {})),
        properties=quoting.sparks_texts(given.get("tblproperties", {})),
    )


def _format(given: Mapping[str, Any]) -> str:
    return str(given.get("file_format") or FORMATS[0]).lower()


def _unknown(config: Mapping[str, Any]) -> Iterator[str]:
    """Names that belong elsewhere, and names that are nearly ours."""
    for name in config:
        if name in OF_THE_PROFILE:
            yield f"{name}: belongs in the profile, not in the configuration of a model"
        elif name not in CONFIGS:
            yield from misspelt(name, CONFIGS)


def misspelt(name: str, known: Sequence[str]) -> Iterator[str]:
    """What to say of a name that is nearly a known one, or is spelt as in Python or Java."""
    plain = {_plain(one): one for one in known}
    near = get_close_matches(name, known, n=1, cutoff=NEARLY)
    spelt = get_close_matches(_plain(name), plain, n=1, cutoff=NEARLY_WITHOUT_CASE)
    if near or spelt:
        yield f"{name}: unknown; did you mean {near[0] if near else plain[spelt[0]]}?"


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _invalid(given: Mapping[str, Any]) -> Iterator[str]:
    """What has the wrong shape is not looked at any further."""
    wrong = misfits(given, SHAPES)
    yield from wrong.values()
    fitting = {name: value for name, value in given.items() if name not in wrong}
    for check in CHECKS:
        yield from check(fitting)


def misfits(values: Mapping[str, Any], shapes: Mapping[str, Shape]) -> dict[str, str]:
    """What to say of each value that doesn't have the shape of its name; None is not given."""
    return {
        name: f"{name}: {values[name]!r} is not {what}{_nearest(values[name], what)}"
        for name, (what, fits) in shapes.items()
        if values.get(name) is not None and not fits(values[name])
    }


def one_of(choices: type[Enum]) -> Shape:
    """The shape of an enum's values."""
    values = [str(one.value) for one in choices]
    return f"{ONE_OF}{', '.join(values)}", values.__contains__


def _nearest(value: object, what: str) -> str:
    """The choice that a value is nearly, or means, as the end of a sentence."""
    choices = what.removeprefix(ONE_OF).split(", ") if what.startswith(ONE_OF) else []
    meant = MEANT.get(str(value))
    near = [meant] if meant in choices else get_close_matches(str(value), choices, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def is_text(value: object) -> bool:
    """Neither a number nor a list, which YAML may have made of it."""
    return isinstance(value, str)


def is_count(value: object) -> bool:
    """0, or more; true and false are no numbers."""
    return type(value) is int and value >= 0


def _check_format(given: Mapping[str, Any]) -> Iterator[str]:
    name = _format(given)
    if name not in FORMATS:
        reason = BAD_FORMATS.get(name, "is unknown")
        yield f"file_format: {name!r} {reason}; use one of {', '.join(FORMATS)}"


def _check_buckets(given: Mapping[str, Any]) -> Iterator[str]:
    buckets = given.get("buckets")
    only_clustered = buckets is None and _format(given) == DELTA
    if (buckets is None) != ("clustered_by" not in given) and not only_clustered:
        yield "buckets and clustered_by: give both or neither"
    elif buckets is not None and (not isinstance(buckets, int) or buckets < 1):
        yield f"buckets: {buckets!r} is not a whole number of at least 1"
    if "sorted_by" in given and buckets is None:
        yield "sorted_by: sets the order within buckets; give clustered_by and buckets as well"


def _check_reserved(given: Mapping[str, Any]) -> Iterator[str]:
    for key in given.get("tblproperties", ()):
        if str(key).startswith(PREFIX):
            yield f"tblproperties: {key!r} is reserved for the marker of published versions"
    if "path" in {str(key).lower() for key in given.get("options", ())}:
        yield "options: 'path' can't be set, because each version has its own; use location_root"


TEXT: Shape = ("a text", is_text)
SECONDS: Shape = ("a number of seconds", is_count)
COLUMNS: Shape = (
    "a column name or a list of them",
    lambda value: all(map(is_text, value if isinstance(value, list) else [value])),
)
MAPPING: Shape = ("a mapping", lambda value: isinstance(value, Mapping))
SHAPES: Mapping[str, Shape] = {
    "atomicity": one_of(Atomicity),
    "staging_purpose": one_of(StagingPurpose),
    "on_conflict": one_of(OnConflict),
    "partition_metadata": one_of(PartitionMetadata),
    "abort_timeout": SECONDS,
    "grace_period": SECONDS,
    "versions_to_keep": ("a number of versions", is_count),
    "location_root": TEXT,
    "staging_schema": TEXT,
    "partition_by": COLUMNS,
    "clustered_by": COLUMNS,
    "sorted_by": COLUMNS,
    "options": MAPPING,
    "tblproperties": MAPPING,
    "persist_docs": MAPPING,
}
CHECKS: tuple[Callable[[Mapping[str, Any]], Iterator[str]], ...] = (
    _check_format,
    _check_buckets,
    _check_reserved,
    table_limits.check_columns,
    table_limits.check_keys,
    table_limits.check_location,
)
