"""The profile: one mandatory field, and none that is silently ignored."""

import pytest
from dbt_common.dataclass_schema import ValidationError
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials
from fakes.profile import credentials


def test_a_schema_is_enough() -> None:
    """Everything but schema has a default."""
    found = credentials()
    assert (found.method, found.database, found.spark_conf) == ("session", "spark_catalog", {})


@pytest.mark.parametrize(
    "fields",
    [{}, {"method": "connect", "host": "h"}, {"method": "thrift", "host": "h"}],
    ids=["session", "connect", "thrift"],
)
def test_a_profile_is_right_with_its_defaults_too(fields: dict[str, object]) -> None:
    """dbt validates it once more when it has filled them in."""
    CtasSparkCredentials.validate(credentials(**fields).to_dict(omit_none=True))


def test_a_project_that_asks_for_spark_means_this_adapter() -> None:
    """Packages change their tests by ``target.type``; dbt finds the adapter all the same."""
    found = credentials().type
    assert found == "spark"
    assert found in ["databricks", "spark"]
    assert found == "ctas_spark"
    assert found != "snowflake"
    assert f"dbt.adapters.{found}" == "dbt.adapters.ctas_spark"
    assert {"ctas_spark": 1}[found] == 1


def test_dbt_sparks_names_work() -> None:
    """server_side_parameters is spark_conf, and its mandatory host is taken."""
    found = credentials(host="NA", server_side_parameters={"spark.x": True, "spark.n": 1})
    assert found.spark_conf == {"spark.x": "true", "spark.n": "1"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"schema": ""}, "schema: missing"),
        ({"method": "odbc"}, "method: 'odbc' is not available; for Databricks there is dbt-data"),
        ({"method": "http"}, "method: thrift with use_http_transport: true; use one of session"),
        ({"method": "carrier pigeon"}, "is not available"),
        (
            {"spark_conf": {"spark.sql.defaultCatalog": "ice"}},
            "spark_conf: spark.sql.defaultCatalog is not used; set database: ice instead",
        ),
        ({"spark_config": {}}, "unknown field 'spark_config': did you mean 'spark_conf'?"),
        ({"spark_conf": ["x"]}, "spark_conf: must map"),
        ({"iceberg_catalogs": "glue"}, "iceberg_catalogs: must be a list of names of catalogs"),
        ({"iceberg_catalogs": [{"glue": "atomic"}]}, "iceberg_catalogs: must be a list"),
        ({"formats": "iceberg"}, "formats: must be [delta] or [iceberg]"),
        ({"formats": ["delta", "iceberg"]}, "spark_catalog has tables of one of them"),
        ({"metastore_reads": "yes"}, "metastore_reads: 'yes' is unknown; use repeatable"),
        ({"hooks": "json_lines"}, "hooks: must be a list of names"),
        ({"hooks": [{"path": "a"}]}, "each must be a name, or a mapping with hook and options"),
        ({"hook_timeout": 0}, "hook_timeout: 0 is not a number of seconds"),
        ({"hook_timeout": "5"}, "hook_timeout: '5' is not a number of seconds"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, object], said: str) -> None:
    """Unknown and contradictory fields are errors that name the field."""
    with pytest.raises(DbtRuntimeError) as caught:
        credentials(**fields)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "catalog"),
    [
        ({"database": None}, "spark_catalog"),
        ({"database": "Spark_Catalog"}, "spark_catalog"),
        ({"spark_conf": {"spark.sql.defaultCatalog": "spark_catalog"}}, "spark_catalog"),
        ({"database": "shop"}, "spark_catalog"),
        ({"database": "shop", "spark_conf": {"spark.sql.catalog.shop": "x.Catalog"}}, "shop"),
        ({"database": "Ice"}, "Ice"),
    ],
)
def test_the_database_is_a_catalog(fields: dict[str, object], catalog: str) -> None:
    """None is the session's; one that repeats the schema, dbt-spark's way to say none, is too.

    Unless there is a catalog of that name: Spark tells the case of all names but its own apart.
    """
    found = credentials(**fields)
    assert found.database == catalog
    assert dict(found.connection_info())["database"] == catalog


def test_what_is_known_of_catalogs_can_be_declared() -> None:
    """Names as Spark tells their case apart; nothing is declared by default."""
    found = credentials(iceberg_catalogs=["Lake"], metastore_reads="repeatable")
    assert (found.iceberg_catalogs, found.metastore_reads) == (["Lake"], "repeatable")
    assert (credentials().iceberg_catalogs, credentials().metastore_reads) == ([], None)


def test_the_table_at_the_end_is_turned_off_by_one_field() -> None:
    """dbt itself refuses what is neither true nor false."""
    assert credentials().publications_table
    assert not credentials(publications_table=False).publications_table
    with pytest.raises(ValidationError, match="'no' is not of type 'boolean'"):
        credentials(publications_table="no")


def test_all_wrong_fields_are_said_at_once() -> None:
    """All wrong fields of a profile are reported in one error."""
    with pytest.raises(
        DbtRuntimeError, match=r"\[INVALID_PROFILE\] 3 errors in the profile"
    ) as caught:
        credentials(schema="", method="http", spark_conf={"spark.sql.defaultCatalog": "ice"})
    assert "set database: ice instead" in str(caught.value)
