"""The small files on a storage, as Spark's own file systems keep them."""

from pathlib import Path

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.storage.hadoop import HadoopStorage


def test_a_write_that_was_cut_can_be_read(spark: SparkSession, tmp_path: Path) -> None:
    """What is left of it says how old it is; nothing beside it contradicts it."""
    storage = HadoopStorage(spark)
    lease = tmp_path / "leases" / "lease"
    storage.write(str(lease), "a whole lease")
    assert [path.name for path in lease.parent.iterdir()] == ["lease"]
    lease.write_text("a who")
    stored = storage.read(str(lease))
    assert stored is not None
    assert stored.text == "a who"
    assert stored.modified_ms == lease.stat().st_mtime_ns // 1_000_000
