"""The places where tables lie and runs work, each reached by several processes."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from readers.session import JAVA, SMALL
from real_places.hdfs import ALICE, BOB, GROUPS
from servers.hdfs import running_hdfs
from servers.jars import S3A, all_fetched, listed
from servers.metastore import Metastore, running_metastore
from servers.s3 import BUCKET, running_s3
from servers.standalone import ONLY_HERE, Cluster, running_cluster

AT_ONCE = 12
"""How many tasks run at the same time: those of all nodes."""
ONE_TASK_EACH = {"spark.sql.leafNodeDefaultParallelism": "1"}
HADOOP = "spark.hadoop."
LOCAL_FILES = "spark.hadoop.fs.file.impl"
HADOOPS_OWN = "org.apache.hadoop.fs.LocalFileSystem"
"""The jar of another one is on no executor's class path."""
FOR_FOUR = 2_800
"""Megabytes of a worker, for one executor of each of four sessions."""
OF_EXECUTORS = {"spark.executor.memory": "600m", "spark.executor.extraJavaOptions": JAVA}


@dataclass(frozen=True, slots=True)
class Place:
    """Where runs work, and what they are given.

    Args:
        conf: settings of every session, in which tasks of all nodes fit at the same time.
        users: who runs dbt, in turn; none where it is the process's own user.
        submits: True if spark-submit starts the driver.
        uploads: what is begun and not completed on the storage, below a schema's directory.
        cluster: which has the executors, if any has.
    """

    name: str
    warehouse: str
    metastore: Metastore
    conf: Mapping[str, str]
    users: tuple[str, ...] = ()
    submits: bool = False
    uploads: Callable[[str], list[str]] = lambda _prefix: []
    cluster: Cluster | None = None

    @property
    def needed(self) -> Mapping[str, str]:
        """The settings without which nothing works here; all others are Spark's own."""
        ours = {**SMALL, **ONE_TASK_EACH, **OF_EXECUTORS}
        needed = {name: value for name, value in self.conf.items() if ours.get(name) != value}
        if self.cluster is None:
            return {name: value for name, value in needed.items() if name != "spark.master"}
        return {**needed, "spark.executor.memory": OF_EXECUTORS["spark.executor.memory"]}

    @property
    def judging(self) -> Mapping[str, str]:
        """The settings of a small session that only looks."""
        return {**self.conf, "spark.master": "local[1]"}

    @property
    def of_one_task(self) -> Mapping[str, str]:
        """The settings of a session that works here, beside others."""
        if self.cluster is None:
            return self.judging
        return {**self.conf, "spark.cores.max": "1"}

    @property
    def variables(self) -> Mapping[str, str]:
        """Those of every process that runs dbt here."""
        return ONLY_HERE


def _conf(metastore: Metastore, warehouse: str, **more: str) -> dict[str, str]:
    conf = {**SMALL, **metastore.spark_conf(), "spark.master": f"local[{AT_ONCE}]"}
    return {**conf, **ONE_TASK_EACH, "spark.sql.warehouse.dir": warehouse, **more}


@contextmanager
def local(directory: Path) -> Iterator[Place]:
    """Driver and tasks in one process, files on its disk."""
    with running_metastore(directory / "metastore", directory / "warehouse") as server:
        warehouse = f"file:{server.warehouse}"
        yield Place("local", warehouse, server, _conf(server, warehouse))


@contextmanager
def standalone(directory: Path, *, submits: bool) -> Iterator[Place]:
    """A master and two workers; the driver is dbt's process, or that of spark-submit."""
    name = "standalone by spark-submit" if submits else "standalone client"
    with (
        running_metastore(directory / "metastore", directory / "warehouse") as server,
        running_cluster(directory / "cluster", cores=AT_ONCE, megabytes=FOR_FOUR) as cluster,
    ):
        warehouse = f"file:{server.warehouse}"
        conf = {**_conf(server, warehouse), **OF_EXECUTORS, "spark.master": cluster.url}
        conf |= {"spark.cores.max": str(AT_ONCE), LOCAL_FILES: HADOOPS_OWN}
        yield Place(name, warehouse, server, conf, submits=submits, cluster=cluster)


@contextmanager
def s3a(directory: Path, *, magic: bool) -> Iterator[Place]:
    """A stand-in for S3, by the magic committer or by the one that Spark has by default."""
    name = "S3A, magic committer" if magic else "S3A, renaming committer"
    with running_s3(directory / "s3") as storage:
        conf, warehouse = storage.spark_conf(magic=magic), f"s3a://{BUCKET}/warehouse"
        hadoop = {
            key.removeprefix(HADOOP): value for key, value in conf.items() if key.startswith(HADOOP)
        }
        jars = all_fetched(listed(S3A))
        home = directory / "metastore"
        with running_metastore(home, directory / "warehouse", hadoop, jars=jars) as server:
            yield Place(
                name,
                warehouse,
                server,
                {**_conf(server, warehouse), **conf},
                uploads=lambda schema: storage.uploads(f"warehouse/{schema}.db/"),
            )


@contextmanager
def hdfs(directory: Path) -> Iterator[Place]:
    """Two users of one group, in turn, at the umask that HDFS has by default."""
    settings = {"hadoop.user.group.static.mapping.overrides": GROUPS}
    with (
        running_hdfs(directory / "hdfs", settings) as address,
        running_metastore(directory / "metastore", directory / "warehouse") as server,
    ):
        warehouse = f"{address}/warehouse"
        conf = _conf(server, warehouse)
        yield Place("HDFS, two users", warehouse, server, conf, users=(ALICE, BOB))


PLACES: Mapping[str, Callable[[Path], AbstractContextManager[Place]]] = {
    "local": local,
    "standalone": partial(standalone, submits=False),
    "spark-submit": partial(standalone, submits=True),
    "s3a-magic": partial(s3a, magic=True),
    "s3a-renaming": partial(s3a, magic=False),
    "hdfs": hdfs,
}
