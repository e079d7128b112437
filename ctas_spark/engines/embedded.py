"""The metastore in Spark's own JVM: whether a session has one, where it lies, and Derby's errors.

Derby is its database, which one process at a time has open.
"""

import logging
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..errors import MetastoreError, MetastoreInUseError, MetastoreUnfinishedError
from . import given

logger = logging.getLogger(__name__)

DIRECTORY = "metastore_db"
CONNECTION_URL = "spark.hadoop.javax.jdo.option.ConnectionURL"
WAREHOUSE = "spark.sql.warehouse.dir"
URIS = ("spark.hadoop.hive.metastore.uris", "spark.hive.metastore.uris")
METASTORES = (*URIS, CONNECTION_URL)
WAREHOUSES = (
    WAREHOUSE,
    "spark.hadoop.hive.metastore.warehouse.dir",
    "spark.hive.metastore.warehouse.dir",
)
TABLES = "spark-warehouse"
WRITTEN_LAST = "service.properties"
IS_OPEN = "XSDB6"
OPENED = re.compile(r"Derby may have already booted the database (\S+?)\.?(?:\s|$)")
TOO_LONG = re.compile(
    r"truncation error was encountered trying to shrink (LONG )?VARCHAR .*? to length (\d+)",
    re.DOTALL,
)
UNFINISHED = re.compile(
    r"XBM0A: The database directory '(.+?)' exists|XBM0J: Directory (.+?) already exists"
)
PROCESSES = Path("/proc")


def is_embedded(settings: Mapping[str, str]) -> bool:
    """True if nothing that Spark reads names a metastore's server."""
    named = given.under(settings)
    return not any(map(named.get, URIS)) and not given.has_hive_site()


def may_be_created(settings: Mapping[str, str], project: Path) -> bool:
    """True if a start may create an embedded metastore, which nobody may kill meanwhile."""
    url = given.under(settings).get(CONNECTION_URL)
    is_there = "derby" not in url if url else (project / DIRECTORY).exists()
    return is_embedded(settings) and not is_there


def beside(settings: Mapping[str, str], project: Path) -> dict[str, str]:
    """Put an embedded metastore and its tables into the project, unless somebody placed them.

    Spark's own default is the working directory, which is another one under ``--project-dir``. A
    cluster gets none: other machines reach neither.
    """
    named = given.under(settings)
    if not given.is_local(settings) or not is_embedded(settings) or named.get(CONNECTION_URL):
        return {}
    _name_another(project)
    found = embedded_places(project)
    if any(map(named.get, WAREHOUSES)):
        del found[WAREHOUSE]
    return found


def embedded_places(project: Path) -> dict[str, str]:
    """The metastore of a project, and its tables."""
    return {
        CONNECTION_URL: f"jdbc:derby:;databaseName={project / DIRECTORY};create=true",
        WAREHOUSE: path_for_spark(project / TABLES),
    }


def path_for_spark(path: Path) -> str:
    """A URI, as Spark's default is, unless it would be escaped: Spark then writes elsewhere."""
    return f"file:{path}" if path.as_uri() == f"file://{path}" else str(path)


def _name_another(project: Path) -> None:
    """Warn of tables that are not found, because Spark was run elsewhere before."""
    here = Path.cwd()
    if (here / DIRECTORY).is_dir() and not (project / DIRECTORY).exists():
        logger.warning(
            "the metastore %s, in the working directory, is not used: that of this project is %s, "
            "and does not exist yet. To use the former, set in spark_conf of the profile "
            "%s to jdbc:derby:;databaseName=%s and %s to %s",
            here / DIRECTORY,
            project / DIRECTORY,
            CONNECTION_URL,
            here / DIRECTORY,
            WAREHOUSE,
            path_for_spark(here / TABLES),
        )


def explained(text: str) -> MetastoreError | None:
    """One of Derby's errors as ours, if its meaning is known."""
    if found := TOO_LONG.search(text):
        return _is_too_long(found[2], of_view=bool(found[1]))
    if IS_OPEN in text:
        return _is_open(text)
    found = UNFINISHED.search(text)
    return _is_unfinished(found[1] or found[2]) if found else None


def _is_too_long(most: str, *, of_view: bool) -> MetastoreError:
    """Hive keeps a view's query in a column of its own; properties have Iceberg's, and others."""
    what = "the view's query" if of_view else "a property or a type, or an Iceberg view's query,"
    another = "use a metastore on another database (spark.hadoop.hive.metastore.uris)"
    return MetastoreError(
        f"{what} is too long: the metastore's database, Derby, holds at most {most} characters",
        left="the view was not written" if of_view else "it was not written",
        remedy="set materialized to table or ephemeral, divide the query between several "
        f"views, or {another}"
        if of_view
        else f"shorten it, set materialized to table for a view, or {another}",
    )


def remove_unfinished(database: Path) -> None:
    """Remove what the JVM of this process began to create, unless another process is at it."""
    finished = not database.is_dir() or (database / WRITTEN_LAST).exists()
    if PROCESSES.is_dir() and not finished and _holder_of(database) is None:
        shutil.rmtree(database, ignore_errors=True)


def _is_open(text: str) -> MetastoreInUseError:
    found = OPENED.search(text)
    path = found.group(1) if found else None
    holder = _holder_of(Path(path)) if path else None
    return MetastoreInUseError(
        f"the embedded metastore {path or '(Derby)'} is open in {holder or 'another process'}: an "
        "embedded metastore serves one process at a time",
        left="nothing was changed",
        remedy="end that process, or use a remote metastore: set "
        "spark.hadoop.hive.metastore.uris in spark_conf of the profile",
    )


def _is_unfinished(path: str) -> MetastoreUnfinishedError:
    return MetastoreUnfinishedError(
        f"the embedded metastore {path} was never completed: the run that began to create it was "
        f"stopped",
        left="nothing was changed, and no table is lost: it has never held one",
        remedy=f"check that no other run is creating it now, delete {path}, and run dbt again",
    )


def _holder_of(database: Path) -> str | None:
    """The process that has a file of the database open, where /proc tells."""
    for descriptor in PROCESSES.glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if descriptor.readlink().is_relative_to(database):
                process = descriptor.parents[1]
                return f"process {process.name} ({(process / 'comm').read_text().strip()})"
    return None
