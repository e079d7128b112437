"""The profile on which suites of others are run: Spark with Delta, and an embedded metastore."""

from pathlib import Path

from readers.session import SMALL
from servers.delta import delta_session


def profile(place: Path, *, stock: bool = False) -> dict[str, object]:
    """An output for this adapter or the stock one; metastore and tables are in ``place``."""
    conf = {
        **SMALL,
        **delta_session(),
        "spark.driver.memory": "1500m",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={place}/metastore_db;create=true"
        ),
        "spark.sql.warehouse.dir": f"{place}/tables",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
    }
    if stock:
        session = {"type": "spark", "method": "session", "host": "NA"}
        return {**session, "threads": 4, "server_side_parameters": conf}
    return {"type": "ctas_spark", "threads": 4, "spark_conf": conf}
