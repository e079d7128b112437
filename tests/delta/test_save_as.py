"""save_as with a Delta table."""

from ctas_spark import history, rollback, save_as, vacuum
from delta.place import Place


def test_a_dataframe_is_published_as_a_delta_table(place: Place) -> None:
    """Its history, rollback and vacuum find it by its path alone."""
    first = save_as(place.spark.range(3), place.table).using("delta").clusterBy("id").create()
    with save_as(place.spark.range(5), place.table).using("delta").staged() as staged:
        assert (staged.dataframe.count(), len(place.rows())) == (5, 3)
    second = staged.publication
    assert (second.base, second.atomicity.value) == (first.version, "isolated")
    assert [one.version for one in history(place.table)] == [second.version, first.version]
    assert rollback(place.table).version == first.version
    assert len(place.rows()) == 3
    assert vacuum(place.table, dry_run=True).freed == []
