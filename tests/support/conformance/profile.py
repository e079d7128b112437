"""The profiles on which suites of others are run."""

from pathlib import Path

from readers.session import SMALL
from servers.delta import delta_session
from servers.metastore import Metastore
from servers.remote import RemoteServer

DIALECT = {"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "UTC"}


def profile(place: Path, *, stock: bool = False) -> dict[str, object]:
    """Spark with Delta, for this adapter or the stock one; metastore and tables in ``place``."""
    conf = {
        **SMALL,
        **delta_session(),
        "spark.driver.memory": "1500m",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={place}/metastore_db;create=true"
        ),
        "spark.sql.warehouse.dir": f"{place}/tables",
        **DIALECT,
    }
    if stock:
        session = {"type": "spark", "method": "session", "host": "NA"}
        return {**session, "threads": 4, "server_side_parameters": conf}
    return {"type": "ctas_spark", "threads": 4, "spark_conf": conf}


def profile_over(
    method: str, server: RemoteServer, metastore: Metastore, *, stock: bool = False
) -> dict[str, object]:
    """A Spark server without formats; stock dbt-spark knows its Thrift server alone."""
    there = {**server.profile(method), "threads": 4}
    if stock:
        return {"type": "spark", **there, "server_side_parameters": DIALECT}
    return {"type": "ctas_spark", **there, "metastore": metastore.uri, "spark_conf": DIALECT}
