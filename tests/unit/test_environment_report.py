"""What ``dbt debug`` says of Spark and its catalogs."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from dbt.adapters.ctas_spark.environment_report import Place, report
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError


class Unserved:
    """The catalogs of a session whose metastore can't be called."""

    @property
    def description(self) -> str:
        raise AtomicityNotSupportedError("no way to it")

    @property
    def catalog(self) -> Any:
        raise AtomicityNotSupportedError("no way to it")


def test_a_metastore_that_is_not_served_does_not_end_the_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A project of Iceberg tables alone needs none; all else is still told."""
    properties = SimpleNamespace(getProperty=lambda name: name)
    packages = SimpleNamespace(java=SimpleNamespace(lang=SimpleNamespace(System=properties)))
    monkeypatch.setattr(jvm, "classes", lambda _spark: packages)
    spark = SimpleNamespace(
        version="4.1.4",
        sparkContext=SimpleNamespace(master="local[1]"),
        conf=SimpleNamespace(get=lambda key: key),
    )
    place = cast("Place", SimpleNamespace(staging_schema="s__ctas_spark"))
    told = list(report(cast("Any", spark), cast("Any", Unserved()), place))
    not_known = "not known: [ATOMICITY_NOT_SUPPORTED] no way to it"
    assert f"catalog: spark_catalog, {not_known}" in told
    assert "warehouse: spark.sql.warehouse.dir" in told
    assert told[-1] == f"atomicity: {not_known}"
