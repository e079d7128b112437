"""save_as with an Iceberg table."""

from pyspark.sql import functions
from pyspark.sql.functions import partitioning

from ctas_spark import history, rollback, save_as
from iceberg.place import Place


def test_a_dataframe_is_published_by_transforms_of_its_columns(place: Place) -> None:
    """Its history and rollback find it by its path alone."""
    frame = place.spark.range(4).withColumn("at", functions.current_timestamp())
    transforms = partitioning.days("at"), partitioning.bucket(2, "id")
    writer = save_as(frame, place.table).using("iceberg").partitionedBy(*transforms)
    first = writer.tableProperty("team", "shop").create()
    assert {field for (field, *_) in place.rows("partition.*", ".files")}
    shown = place.spark.sql(f"SHOW CREATE TABLE {place.table}").collect()[0][0]
    assert "days(at), bucket(2, id)" in shown
    second = save_as(frame.limit(1), place.table).using("iceberg").replace()
    with save_as(frame.limit(2), place.table).using("iceberg").staged() as staged:
        assert (staged.dataframe.count(), len(place.rows())) == (2, 1)
    assert [one.version for one in history(place.table)] == [
        staged.publication.version,
        second.version,
        first.version,
    ]
    assert rollback(place.table).version == second.version
    assert len(place.rows()) == 1
