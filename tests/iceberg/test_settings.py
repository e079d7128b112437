"""What a catalog sets for all of its tables, and what a table has that a replace would drop."""

from dataclasses import replace

import pytest

from ctas_spark.errors import AtomicityNotSupportedError
from ctas_spark.iceberg import limits
from ctas_spark.iceberg.fork import KEEPS_ALL
from ctas_spark.iceberg.tables import IcebergTables
from ctas_spark.retention.rules import RetentionRules
from dbt.adapters.ctas_spark import model_columns
from iceberg.place import Place

OLD = "SELECT id, 'old' AS name FROM range(3)"
NEW = "SELECT id, 'new' AS name FROM range(2)"
WIDER = "SELECT id, 'new' AS name, 1 AS more FROM range(2)"
COLUMNS = [f"c{number}" for number in range(12)]
TWELVE = f"SELECT {', '.join(f'{number} AS {name}' for number, name in enumerate(COLUMNS))}"
DOCUMENTED = {name: f"it's {name}" for name in COLUMNS}
AT_ONCE = RetentionRules(orphan_age_ms=0)


def publish_documented(place: Place) -> int:
    """A build of twelve columns with comments; how many commits those took."""
    staged = place.begin()
    place.spark.sql(staged.statement(TWELVE))
    record = staged.verify()
    fork = IcebergTables(place.spark, place.catalog).find(record)
    assert fork is not None
    before = len(fork.facts.document["metadata-log"])
    found = fork.facts.properties
    assert {key: found[key] for key in KEEPS_ALL} == KEEPS_ALL
    model_columns.comment_each(place.spark, record, DOCUMENTED)
    fork = IcebergTables(place.spark, place.catalog).find(record)
    assert fork is not None
    staged.commit()
    staged.settle()
    return len(fork.facts.document["metadata-log"]) - before


def test_defaults_that_delete_metadata_are_refused(careless: Place) -> None:
    """Before anything is made, with what to remove."""
    with pytest.raises(AtomicityNotSupportedError) as refused:
        careless.begin()
    assert "remove spark.sql.catalog.careless.table-default.write.metadata" in refused.value.remedy
    assert careless.staged() == []


def test_defaults_that_delete_metadata_reach_no_fork(
    careless: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should a server hide them: the statement names what a fork needs, and the table lives."""
    monkeypatch.setattr(limits, "_check_properties", lambda *_: None)
    for _ in range(3):
        publish_documented(careless)
        assert careless.rows() == [tuple(range(12))]


def test_comments_are_one_commit(place: Place) -> None:
    """However many columns are documented."""
    assert publish_documented(place) == 1
    described = place.spark.sql(f"DESCRIBE {place.table}").collect()
    assert [row.comment for row in described][:12] == [f"it's {name}" for name in COLUMNS]


def test_what_a_server_sends_is_refused_like_what_the_session_sets(careless_rest: Place) -> None:
    """Nothing in the session shows it; its overrides win over what a fork would say."""
    found = IcebergTables(careless_rest.spark, careless_rest.catalog).settings
    assert found["table-override.gc.enabled"] == "true"
    assert found["table-default.write.metadata.previous-versions-max"] == "1"
    with pytest.raises(AtomicityNotSupportedError) as refused:
        careless_rest.begin()
    assert "have the REST server no longer send it" in refused.value.remedy
    assert careless_rest.staged() == []


def test_a_jdbc_catalog_without_views_is_built_in(first_schema: Place) -> None:
    """The first layout of its database, which Iceberg makes unless it is told otherwise."""
    first_schema.publish(OLD)
    first_schema.publish(NEW)
    assert first_schema.rows() == [(0, "new"), (1, "new")]
    assert first_schema.staged() == []


def test_a_name_in_mixed_case_is_cleaned_up_like_another(hive: Place) -> None:
    """The metastore lists it, and what was staged for it, in lower case."""
    context = replace(hive.context(), target=replace(hive.target, table="MixedCase"))
    hive.publish(OLD, context)
    lost, in_a_branch = hive.stage(WIDER, context), hive.stage(NEW, context)
    assert hive.publish(NEW, context).reach.strategy == "fast_forward"
    hive.publish(OLD, context)
    assert len(hive.staged()) == 1
    freed = hive.staging.clean_up(context, AT_ONCE).freed
    assert (len(freed), in_a_branch.version in str(freed)) == (2, True)
    assert (hive.staged(), hive.files_of(lost.version)) == ([], set())
    assert hive.spark.table(f"hive.{hive.schema}.mixedcase").count() == 3


@pytest.mark.parametrize(
    ("given", "instead"),
    [
        (["ALTER TABLE {table} WRITE ORDERED BY name"], "write ORDER BY"),
        (
            [
                "CREATE OR REPLACE TABLE {table} (id BIGINT NOT NULL, name STRING) USING iceberg",
                "ALTER TABLE {table} SET IDENTIFIER FIELDS id",
            ],
            "DROP IDENTIFIER FIELDS",
        ),
        (["ALTER TABLE {table} SET TBLPROPERTIES ('encryption.key-id' = 'k')"], "encrypt"),
    ],
    ids=["sort order", "identifier fields", "encryption"],
)
def test_what_a_replace_can_not_keep_is_refused(
    jdbc: Place, given: list[str], instead: str
) -> None:
    """Before anything is staged, with what to write instead."""
    jdbc.publish(OLD)
    for statement in given:
        jdbc.spark.sql(statement.format(table=jdbc.table))
    before = jdbc.rows()
    with pytest.raises(AtomicityNotSupportedError) as refused:
        jdbc.begin()
    assert instead in refused.value.remedy
    assert (jdbc.rows(), jdbc.staged()) == (before, [])
