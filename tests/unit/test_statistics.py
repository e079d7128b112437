"""The statistics of tables in dbt's docs."""

from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.statistics import version_shown, with_figures

SPARKS = {
    "column_name": "id",
    "stats:bytes:label": "bytes",
    "stats:bytes:value": 2026,
    "stats:bytes:description": "",
    "stats:bytes:include": True,
    "stats:rows:label": "rows",
    "stats:rows:value": 0,
    "stats:rows:description": "",
    "stats:rows:include": True,
}


def test_counted_rows_replace_those_of_spark() -> None:
    """Spark says 0 rows of a table that it wrote five rows of."""
    told = with_figures(SPARKS, "20260101t120000x0a1b2c3d", WriteFigures(rows=5))
    assert (told["stats:rows:value"], told["stats:bytes:value"]) == (5, 2026)
    assert told["stats:rows:description"] == (
        "counted when version 20260101t120000x0a1b2c3d was published"
    )


def test_rows_that_nobody_counted_are_not_shown() -> None:
    """Neither is Spark's 0; its bytes are of the files."""
    told = with_figures(SPARKS, "v", WriteFigures())
    assert [key for key in told if "rows" in key] == []
    assert told["stats:bytes:value"] == 2026


def test_a_table_shows_its_version_by_its_location() -> None:
    """The last directory; a view has none."""
    information = "Owner: me\nLocation: file:/w/shop.db/a/20260101t120000x0a1b2c3d \nSerde: x"
    assert version_shown(information) == "20260101t120000x0a1b2c3d"
    assert version_shown("Type: VIEW") == ""
    assert version_shown(None) == ""
