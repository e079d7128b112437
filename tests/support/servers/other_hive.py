"""A metastore server of another Hive than Spark's: the standalone one of Maven's registry."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import pyspark

from servers.jars import HADOOP_CLUSTER, Jar, all_fetched, fetched, java, listed
from servers.loopback import HOST, free_port
from servers.metastore import NO_SETTINGS, Metastore, answers, hive_site, write_hive_site
from servers.processes import start, stop, wait_for_server

METASTORE, COMMON, SERVER = (
    f"hive-standalone-metastore{end}" for end in ("", "-common", "-server")
)
SERVERS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "3.1.3": {
            METASTORE: "779d11d856d9f41b5f78658fdf7ddf1626f03c7ae5d808582484c3744597a1f3",
        },
        "4.0.0": {
            COMMON: "0483260c8312ace760387c2eda63cff2c876304227ceb1f6574f044e551e4006",
            SERVER: "8e2905047218109a7f0abc0f13cc5b1e2b1fb62efe4a8435f72ae51ff77eca04",
        },
        "4.0.1": {
            COMMON: "f74d06e29a18d6a6b215b4e7b0445ef5c8bf7c73d5be4ab7eaed3f185cf000f8",
            SERVER: "e8ebcd3f9c4863779be08cc0acaf51909df93188024fd1c7807699773732b794",
        },
    }
)
"""Of each version, the SHA-256 of its own jars."""
NEEDED = {"3": "hive3.jars", "4": "hive4.jars"}
"""What each needs besides; next to this file."""
OF_SPARK = ("hadoop-client-api-*.jar", "hadoop-client-runtime-*.jar")
# Spark fetches it. Its own, of Hive 2.3.10, asks for tables by a method that 4.0.1 lacks.
CLIENT_OF_HIVE_4 = MappingProxyType(
    {"spark.sql.hive.metastore.version": "4.0", "spark.sql.hive.metastore.jars": "maven"}
)
CLASSES = "org.apache.hadoop.hive.metastore"
OPENED = ("java.net", "java.lang", "java.util", "java.nio")
OPTIONS = ("-Xmx300m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
STANDALONE = MappingProxyType(
    {
        "metastore.schema.verification": "false",
        "metastore.thrift.bind.host": HOST,
        "metastore.metastore.event.db.notification.api.auth": "false",
        "metastore.housekeeping.threads.on": "false",
        # the defaults of 3.1.3 have classes that only Hive's server has
        "metastore.task.threads.always": f"{CLASSES}.events.EventCleanerTask",
        "metastore.expression.proxy": f"{CLASSES}.DefaultPartitionExpressionProxy",
    }
)


@contextmanager
def running_hive(
    version: str,
    directory: Path,
    warehouse: Path,
    settings: Mapping[str, str] = NO_SETTINGS,
) -> Iterator[Metastore]:
    """Run a server whose log lies in ``directory``, on Derby unless ``settings`` say otherwise."""
    directory.mkdir(parents=True, exist_ok=True)
    warehouse.mkdir(parents=True, exist_ok=True)
    ours = {**hive_site(directory, warehouse), "metastore.warehouse.dir": str(warehouse)}
    for file in ("hive-site.xml", "metastore-site.xml"):
        write_hive_site(directory, {**ours, **STANDALONE, **settings}, file)
    port, log = free_port(), directory / "metastore.log"
    process = start(_command(version, directory, port), log, cwd=directory)
    try:
        wait_for_server(process, lambda: answers(port, None), f"Hive {version}", log)
        yield Metastore(port, warehouse, process.pid)
    finally:
        stop(process)


def _command(version: str, directory: Path, port: int) -> list[str]:
    spark = Path(pyspark.__file__).parent / "jars"
    hadoop = [path for pattern in OF_SPARK for path in spark.glob(pattern)]
    path = [directory, *all_fetched(_jars(version)), *hadoop, fetched(HADOOP_CLUSTER)]
    opened = [part for name in OPENED for part in ("--add-opens", f"java.base/{name}=ALL-UNNAMED")]
    main = f"{CLASSES}.HiveMetaStore"
    return [java(), *OPTIONS, *opened, "-cp", ":".join(map(str, path)), main, "-p", str(port)]


def _jars(version: str) -> tuple[Jar, ...]:
    own = (
        Jar("org.apache.hive", name, version, checksum)
        for name, checksum in SERVERS[version].items()
    )
    return (*own, *listed(Path(__file__).with_name(NEEDED[version[0]])))
