"""docs/configuration.md says what the code does."""

import re
from dataclasses import fields
from enum import Enum
from inspect import signature
from pathlib import Path

import ctas_spark as package
from ctas_spark import options as config
from ctas_spark.context import (
    Atomicity,
    OnConflict,
    PartitionMetadata,
    StagingPurpose,
    TableLayout,
    TableName,
)
from ctas_spark.dataframe import session_table
from ctas_spark.dataframe.table_writer import TableWriter
from ctas_spark.engines import embedded, precedence
from ctas_spark.engines.java_options import JAVA_OPTIONS
from ctas_spark.publish.outcome import Publication
from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials

DOCS = Path(__file__).parents[2] / "docs" / "configuration.md"
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \|([^|]*)\|", re.MULTILINE)


def section(page: str, heading: str) -> str:
    """What a page of docs/ has below a heading."""
    text = (DOCS.parent / page).read_text()
    return re.split(r"^##+ ", text.split(f"## {heading}\n")[1], flags=re.MULTILINE)[0]


def table(heading: str) -> dict[str, tuple[str, str]]:
    """Name, default and values of the rows below a heading."""
    section = DOCS.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    return {name: (default.strip("` "), values) for name, default, values in ROW.findall(section)}


def spelled(value: object) -> str:
    """A default as the page writes it."""
    if isinstance(value, Enum):
        return str(value.value)
    if value is True:
        return "true"
    return str(value) if value else "*none*"


def test_every_profile_field_has_its_row_and_default() -> None:
    """The profile's table has the fields that the code takes, with their defaults."""
    rows = table("Profile")
    assert set(rows) == {field.name for field in fields(CtasSparkCredentials)}
    profile = CtasSparkCredentials(schema="s")
    for name, (default, _) in rows.items():
        expected = "*mandatory*" if name == "schema" else spelled(getattr(profile, name))
        assert default == expected, name


def test_every_model_config_has_its_row_and_default() -> None:
    """The model's table has the configs that the code reads, with their defaults."""
    rows = table("Model")
    known = {field.name for field in fields(TableLayout)} - {
        "comment",
        "column_comments",
        "properties",
        "format_given",
    }
    assert set(rows) == {*config.OWN, *known, "tblproperties", "persist_docs"}
    plan = config.read_plan("m", {}, "", TableName("s", "t"), None)
    defaults = {
        "atomicity": plan.context.atomicity,
        "staging_purpose": plan.context.purpose,
        "on_conflict": plan.context.on_conflict,
        "partition_metadata": plan.context.partition_metadata,
        "abort_timeout": plan.abort_timeout_seconds,
        "versions_to_keep": plan.retention.versions_to_keep,
        "grace_period": plan.retention.grace_ms // 1000,
        "file_format": plan.context.layout.file_format,
    }
    assert {name: rows[name][0] for name in rows} == {
        name: spelled(defaults.get(name)) for name in rows
    }


def test_every_value_of_a_config_is_listed() -> None:
    """Values that the code takes are on the page, and no others."""
    rows = table("Model")
    expected = {
        "atomicity": {each.value for each in Atomicity},
        "staging_purpose": {each.value for each in StagingPurpose},
        "on_conflict": {each.value for each in OnConflict},
        "partition_metadata": {each.value for each in PartitionMetadata},
        "file_format": set(config.FORMATS),
    }
    for name, values in expected.items():
        assert set(re.findall(r"`(\w+)`", rows[name][1])) == values, name


def test_settings_of_spark_that_differ_are_listed() -> None:
    """The page names each setting that is set without the user, and no other."""
    text = DOCS.read_text().split("The other defaults of this adapter are")[1].split("\n\n## ")[0]
    listed = set(re.findall(r"`([a-z]\w*(?:\.\w+)+)[`=]", text))
    places = {embedded.CONNECTION_URL, embedded.WAREHOUSE}
    assert listed == {*precedence.DEFAULTS, *precedence.LOCAL, *places, JAVA_OPTIONS} - {
        *precedence.ALWAYS
    }


def test_every_word_of_save_as_is_on_its_page() -> None:
    """Methods, fields of the outcome, and functions with all their arguments."""
    reference = section("pyspark.md", "`save_as(df, path)`")
    methods = {name for name in vars(TableWriter) if not name.startswith("_")}
    assert set(re.findall(r"^\| `(\w+)\(", reference, re.MULTILINE)) == methods
    outcome = re.findall(r"^\| (`.*?) \|", section("pyspark.md", "The outcome"), re.MULTILINE)
    told = {field.name for field in fields(Publication)}
    assert set(re.findall(r"`(\w+)`", " ".join(outcome))) == told
    maintenance = section("pyspark.md", "Maintenance")
    functions = dict(re.findall(r"^\| `(\w+)\((.*?)\)`", maintenance, re.MULTILINE))
    for name, arguments in functions.items():
        known = signature(getattr(package, name)).parameters
        assert [one for one in arguments.split(", ") if one != "*"] == list(known), name
    assert set(functions) == set(package.PUBLIC["dataframe.maintenance"])
    for name in set(session_table.OPTIONS) - {"options", "persist_docs"}:
        assert f"`{name}`" in (DOCS.parent / "pyspark.md").read_text(), name
