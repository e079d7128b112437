"""A table that save_as makes of its own rows, as an older snapshot had them."""

from contextlib import suppress

from ctas_spark import ConcurrentWriteError, save_as
from iceberg.place import Place


def test_a_dataframe_of_the_tables_rows_brings_no_older_ones_back(place: Place) -> None:
    """On Spark before 4.1 its plan keeps the snapshot; from then on it reads what is there now."""
    spark = place.spark
    save_as(spark.range(2), place.table).using("iceberg").create()
    old = spark.table(place.table).where("id >= 0")
    save_as(spark.range(10, 13), place.table).using("iceberg").replace()
    with suppress(ConcurrentWriteError):
        save_as(old, place.table).using("iceberg").replace()
    assert sorted(place.rows()) == [(10,), (11,), (12,)]
    again = spark.table(place.table).where("id > 10")
    save_as(again, place.table).using("iceberg").replace()
    assert sorted(place.rows()) == [(11,), (12,)]
