"""A server's metastore, as the profile names it: its address, and whether it is the server's."""

import os
from dataclasses import dataclass
from getpass import getuser
from typing import Any

from pyspark.errors import PySparkException

from .. import quoting
from ..context import SESSION_CATALOG, StagingContext, TableName
from ..engines.calls import condition
from ..engines.thrift.channel import KERBEROS, Access
from ..errors import (
    MetastoreError,
    MetastoreNotReachedError,
    NoSuchSchemaError,
    ProfileError,
)
from ..files.catalog import SessionCatalog
from ..files.staging_entry import STAGING_ID
from ..metastore.client import TableEntry
from ..metastore.connections import PLAIN, ThriftMetastore
from ..publish import messages

METASTORE = "metastore"
"""The profile's field for its address."""
HADOOP_USER = "HADOOP_USER_NAME"
URIS = "spark.hadoop.hive.metastore.uris"
EXAMPLE = "thrift://host:9083"
NOT_FOUND = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND")


@dataclass(frozen=True, slots=True)
class MetastoreAddress:
    """A server's metastore, as the profile names it, and the user that calls are made for.

    ``repeatable_reads`` is what the user declares of its reads, and ``access`` how to log in.
    """

    uris: str
    user: str
    repeatable_reads: bool = False
    access: Access = PLAIN

    @classmethod
    def of(
        cls,
        uris: str | None,
        user: str | None = None,
        *,
        repeatable_reads: bool = False,
        access: Access = PLAIN,
    ) -> "MetastoreAddress | None":
        """With the user that Hadoop's own clients would name; None without an address."""
        if not uris:
            return None
        named = user or os.environ.get(HADOOP_USER) or getuser()
        return cls(uris, named, repeatable_reads, access)


def connected(address: MetastoreAddress) -> ThriftMetastore:
    """Its client, once it has answered.

    Raises:
        MetastoreNotReachedError: nobody answers there.
    """
    metastore = ThriftMetastore(address.uris, user=address.user, access=address.access)
    try:
        metastore.databases()
    except MetastoreError as error:
        metastore.close()
        raise MetastoreNotReachedError(
            f"the metastore of this profile does not answer: {error.what}",
            left=messages.UNTOUCHED,
            remedy=f"check {METASTORE} in the profile, that the metastore is running, and that "
            "this machine can reach it",
        ) from error
    return metastore


def line_of_profile(spark: Any) -> str:
    """What brings tables of files, with the server's own address where it tells one."""
    told = spark.conf.get(URIS, None)
    return f"add {METASTORE}: {told or EXAMPLE} to the profile" + (
        "" if told else " (the server's hive.metastore.uris)"
    )


def described(spark: Any, address: MetastoreAddress | None) -> str:
    """For ``dbt debug``."""
    if address is None:
        return f"not known; for tables of files at isolated, {line_of_profile(spark)}"
    access = address.access
    is_kerberos = access.login.auth == KERBEROS
    who = "by the ticket of Kerberos" if is_kerberos else f"as {address.user}"
    return f"Hive, at {address.uris}, over Thrift{', TLS' if access.tls else ''}, {who}"


@dataclass(frozen=True, slots=True)
class Check:
    """Whether the server sees what is written into the profile's metastore."""

    spark: Any
    address: MetastoreAddress
    metastore: ThriftMetastore
    catalog: SessionCatalog

    def run(self, context: StagingContext) -> None:
        """Return if it does.

        Raises:
            ProfileError: it is another server's.
            NoSuchSchemaError: neither has the context's schema.
        """
        try:
            services = self.catalog.services(context.staging_schema, context.target)
            entry = services.roots.staging.made()
        except (NoSuchSchemaError, MetastoreError) as error:
            if self._has_schema(context.target.database):
                raise self._foreign(context.target) from error
            raise
        if not self._shows(entry):
            raise self._foreign(context.target)

    def _shows(self, entry: TableEntry) -> bool:
        asked = f"SHOW TBLPROPERTIES {quoting.table(entry.name)}"
        found = {row.key: row.value for row in self._rows(asked)}
        return found.get(STAGING_ID) == entry.parameters[STAGING_ID]

    def _has_schema(self, name: str) -> bool:
        """Whether the server has a schema that the profile's metastore does not have."""
        if self.metastore.database_location(name) is not None:
            return False
        path = quoting.namespace(SESSION_CATALOG, name)
        return bool(self._rows(f"DESCRIBE NAMESPACE {path}"))

    def _rows(self, statement: str) -> list[Any]:
        """None of what the server does not have."""
        try:
            return list(self.spark.sql(statement).collect())
        except PySparkException as error:
            if condition(error) in NOT_FOUND:
                return []
            raise

    def _foreign(self, target: TableName) -> ProfileError:
        return ProfileError(
            f"{METASTORE}: {self.address.uris} is not the metastore of the Spark server: neither "
            "shows the tables of the other",
            table=target,
            left=messages.NO_JOB,
            remedy="set it to the hive.metastore.uris of the server",
        )
