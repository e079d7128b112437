"""Spark's JDBC catalog on PostgreSQL."""

from collections.abc import Mapping
from types import MappingProxyType

from ctas_spark.catalogs.kinds import CATALOG_OF_DATABASES
from servers.jars import POSTGRESQL_DRIVER, fetched
from servers.postgresql import Postgresql

CATALOG = "pg"
PREFIX = f"spark.sql.catalog.{CATALOG}"


def driver() -> Mapping[str, str]:
    """What a session needs when it starts."""
    return MappingProxyType({"spark.jars": str(fetched(POSTGRESQL_DRIVER))})


def catalog(server: Postgresql) -> Mapping[str, str]:
    """The settings of the catalog ``pg``."""
    return {
        PREFIX: CATALOG_OF_DATABASES,
        f"{PREFIX}.url": server.url,
        f"{PREFIX}.driver": "org.postgresql.Driver",
        f"{PREFIX}.user": server.user,
        f"{PREFIX}.password": server.password,
    }
