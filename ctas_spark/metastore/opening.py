"""The client of a session's metastore: in Spark's JVM, or over Thrift."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from ssl import DER_cert_to_PEM_cert
from typing import Any

from pyspark.sql import SparkSession

from ..engines import jvm
from ..engines.metastore_port import require_metastore
from ..engines.thrift.channel import KERBEROS, Access, Login, Tls
from ..errors import AtomicityNotSupportedError
from ..redaction import redacted
from .client import TableLockClient
from .connections import PLAIN, InJvmMetastore, ThriftMetastore
from .hive import HiveMetastore

BUILTIN = "builtin"
URIS = "hive.metastore.uris"
SASL = "hive.metastore.sasl.enabled"
PRINCIPAL = "hive.metastore.kerberos.principal"
ANY_HOST = "_HOST"
SSL = "hive.metastore.use.SSL"
TRUSTED, TRUSTED_PASSWORD = (f"hive.metastore.truststore.{one}" for one in ("path", "password"))
NOT_READABLE = (
    "hive.metastore.thrift.framed.transport.enabled",
    "hive.metastore.thrift.compact.protocol.enabled",
)
CLIENTS = {
    "hive.metastore.client.factory.class": "SessionHiveMetaStoreClientFactory",
    "metastore.client.impl": "ThriftHiveMetaStoreClient",
    "hive.metastore.client.impl": "ThriftHiveMetaStoreClient",
}
"""The settings that put another client in the place of Hive's, each with the class that is Hive's
own. EMR's patched Hive has the first (HIVE-12679 as it was proposed), and Hive 4.2 the others."""
URL = "javax.jdo.option.ConnectionURL"
DERBY = "jdbc:derby:"
DERBY_SERVER = "jdbc:derby://"
NAME = "databaseName="
IN_DIRECTORY = "directory:"


@dataclass(frozen=True, slots=True)
class OpenedMetastore:
    """A metastore's client; ``locks`` is None where no other process is a client of it.

    ``address`` tells two metastores apart that share a storage.
    """

    metastore: HiveMetastore
    locks: TableLockClient | None
    description: str
    address: str


def open_metastore(spark: SparkSession) -> OpenedMetastore:
    """The client for a session's settings, hive-site.xml included.

    Raises:
        AtomicityNotSupportedError: there is no way to its metastore yet.
        MetastoreNotReachedError: another program listens at its address.
    """
    hadoop = jvm.hadoop_configuration(spark)
    require_hives_own_client(hadoop)
    implementation = spark.conf.get("spark.sql.catalogImplementation") or ""
    jars = spark.conf.get("spark.sql.hive.metastore.jars", BUILTIN) or BUILTIN
    unreadable = [key for key in NOT_READABLE if hadoop.getBoolean(key, False)]
    uris = str(hadoop.get(URIS) or "")
    if goes_over_thrift(implementation, jars, uris, unreadable):
        principal = str(hadoop.get(PRINCIPAL) or "") if hadoop.getBoolean(SASL, False) else ""
        tls = tls_by(hadoop, jvm.classes(spark)) if hadoop.getBoolean(SSL, False) else None
        access = Access(login_by(principal), tls)
        over_thrift = ThriftMetastore(uris, user=spark.sparkContext.sparkUser(), access=access)
        where = f"Hive, remote at {uris}, over Thrift"
        return OpenedMetastore(over_thrift, over_thrift, where, uris)
    require_metastore(spark)
    in_jvm = InJvmMetastore(spark)
    if uris := in_jvm.setting(URIS):
        return OpenedMetastore(in_jvm, in_jvm, f"Hive, remote at {uris}", uris)
    url = in_jvm.setting(URL)
    locks = None if is_of_one_process(url) else in_jvm
    address = database_address(url, Path.cwd())
    return OpenedMetastore(in_jvm, locks, f"Hive, embedded ({address})", address)


def require_hives_own_client(hadoop: Any) -> None:
    """Return if Spark's tables are in a Hive metastore, and not behind a client of another kind.

    Raises:
        AtomicityNotSupportedError: they are, as in the Glue Data Catalog.
    """
    for key, own in CLIENTS.items():
        named = str(hadoop.get(key) or "").strip()
        if named and named.rpartition(".")[2] != own:
            raise _refused(
                f"Spark's tables are behind a client of {named} ({key}), and those of files are "
                "published by a call of a Hive metastore",
                "use Iceberg, whose catalog the profile declares (iceberg_catalogs); or remove "
                f"{key} from Spark's settings, if there is a Hive metastore (hive.metastore.uris)",
            )


def is_of_one_process(url: str) -> bool:
    """True for an embedded Derby, which locks its directory; a server of Derby is for many."""
    return url.startswith(DERBY) and not url.startswith(DERBY_SERVER)


def goes_over_thrift(
    implementation: str, jars: str, uris: str, unreadable: Sequence[str] = ()
) -> bool:
    """True if the metastore is called next to Spark's Hive classes, because they are isolated.

    Args:
        unreadable: the settings that the client over Thrift can't follow.

    Raises:
        AtomicityNotSupportedError: there is no way yet.
    """
    if implementation != "hive":
        raise _refused(
            "tables of files are published in a Hive metastore, and Spark's own catalog in memory "
            "ends with this process",
            "remove spark.sql.catalogImplementation from spark_conf, or in PySpark code call "
            "enableHiveSupport() of the session's builder",
        )
    if jars == BUILTIN:
        return False
    isolated = "Spark's Hive classes are isolated (spark.sql.hive.metastore.jars)"
    use_builtin = "remove spark.sql.hive.metastore.jars and .version from spark_conf"
    if not uris:
        raise _refused(
            f"{isolated}, and no metastore is known that can be reached without them",
            f"set spark.hadoop.hive.metastore.uris in spark_conf, or {use_builtin}",
        )
    if unreadable:
        raise _refused(
            f"{isolated}, and without them no metastore can be reached yet with "
            f"{', '.join(unreadable)}",
            use_builtin,
        )
    return True


def login_by(principal: str) -> Login:
    """The login at a metastore whose Kerberos principal this is, as in hive/_HOST@EXAMPLE.ORG."""
    if not principal:
        return PLAIN.login
    service, _, host = principal.partition("@")[0].partition("/")
    named = None if host in ("", ANY_HOST) else host
    return Login(KERBEROS, kerberos_service_name=service, kerberos_host=named)


def tls_by(hadoop: Any, packages: Any) -> Tls:
    """TLS by the certificates in the keystore of Hadoop's settings, or else of this machine."""
    path = hadoop.get(TRUSTED)
    if not path:
        return Tls()
    file = jvm.member(packages, "java.io.File")(path)
    keystores = jvm.member(packages, "java.security.KeyStore")
    keystore = keystores.getInstance(file, hadoop.getPassword(TRUSTED_PASSWORD))
    aliases = jvm.member(packages, "java.util.Collections").list(keystore.aliases())
    encoded = (bytes(keystore.getCertificate(alias).getEncoded()) for alias in aliases)
    return Tls(ca_text="".join(map(DER_cert_to_PEM_cert, encoded)))


def database_address(url: str, directory: Path) -> str:
    """Where an embedded metastore's database lies, as every process sees it, without passwords.

    Args:
        directory: the process's own, from which Derby takes a relative path.
    """
    if not url.startswith(DERBY):
        return redacted({URL: url})[URL]
    subname, *attributes = url.removeprefix(DERBY).split(";")
    named = [one.removeprefix(NAME) for one in attributes if one.startswith(NAME)]
    database = named[0] if named else subname.removeprefix(IN_DIRECTORY)
    return f"{DERBY}{directory / database}"


def _refused(what: str, remedy: str) -> AtomicityNotSupportedError:
    return AtomicityNotSupportedError(what, left="nothing was started", remedy=remedy)
