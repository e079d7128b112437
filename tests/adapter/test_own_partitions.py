"""Iceberg replaces the partitions that its table has, whatever a model means."""

import pytest

from dbt.adapters.ctas_spark import own_partitions
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

TABLE = CtasSparkRelation.create("jdbc", "shop", "orders")
BY_BOTH = "PARTITIONED BY (days(at), bucket(4, id))\n"
SHOWN = "CREATE TABLE jdbc.shop.orders (\n  id INT)\nUSING iceberg\n{}LOCATION 's3a://b/t'\n"


@pytest.mark.parametrize(
    ("partitioned", "specs", "present", "said"),
    [
        (BY_BOTH, [0], "0", ""),
        (BY_BOTH, [0], None, ""),
        (BY_BOTH, [], "1", ""),
        ("PARTITIONED BY (months(at))\n", [0], "0", "is partitioned by (months(at))"),
        ("", [0], "0", "is not partitioned"),
        ("COMMENT '\nUSING iceberg\n'\n", [0], "0", "in a way that can't be read"),
        (BY_BOTH, [0, 1], "1", "an older partitioning"),
        (BY_BOTH, [0], "1", "an older partitioning"),
    ],
)
def test_partitions_are_those_of_the_table(
    partitioned: str, specs: list[int], present: str | None, said: str
) -> None:
    """All of them, in any spelling, and those of all files."""
    asked: list[str] = []

    def ask(sql: str) -> list[tuple[object, ...]]:
        asked.append(sql)
        if sql.startswith("SHOW CREATE"):
            return [(SHOWN.format(partitioned),)]
        if "metadata_log_entries" in sql:
            return [("s3a://b/t/metadata/1.json",)]
        if sql.startswith("SELECT DISTINCT get_json_object"):
            return [(present,)]
        return [(one,) for one in specs] if "spec_id" in sql else []

    found = own_partitions.problem(ask, TABLE, ["day(AT)", "bucket(id, 4)"], None)
    assert said in found
    assert bool(found) is bool(said)
    assert asked[0].startswith("REFRESH TABLE")


@pytest.mark.parametrize(
    ("has", "said"),
    [
        ('["Day", "region"]', ""),
        ('["day"]', "is partitioned by (day)"),
        ("[]", "is not partitioned"),
    ],
)
def test_delta_replaces_partitions_by_all_of_its_columns(has: str, said: str) -> None:
    """In whatever order and case the model names them."""
    found = own_partitions.problem_of_delta(
        lambda _: [{"partitionColumns": has}], TABLE, ["region", "day"]
    )
    assert said in found
    assert bool(found) is bool(said)
