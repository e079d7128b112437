"""A Hive metastore through the client classes in Spark's own JVM, embedded or remote.

They only bring a call's bytes there: a Thrift processor in front of Hive's client takes them as a
server does, in five calls into the JVM, whatever an entry holds. Fields that its classes don't
know are lost.
"""

from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer, TTransportException

from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.metastore.hive import HiveMetastore, Method
from dbt.adapters.ctas_spark.staging.metastore.wire import Field, Struct, answer, ask

FRAMES = "\n\tat "  # a lost connection is told with the whole stack
JVM_FAILURES = (Py4JError, OSError)


class InJvmConnection:
    """A HiveMetaStoreClient, which is not safe between threads, and the classes for its messages.

    The client is made by its own constructor, which does not retry a call: a retry turns a success
    into a conflict. The processor turns a message into a call on the client's inner one.
    """

    def __init__(self, conf: Any, client: Any, processor: Any, protocol: Any, buffer: Any) -> None:
        self._protocol = protocol
        self._buffer = buffer
        try:
            self._client = client(conf)
            self._processor = processor(_beneath(self._client))
        except JVM_FAILURES as error:
            raise TTransportException(message=_said(error)) from error
        self.is_open = True

    def call(self, method: str, arguments: Struct) -> Struct:
        """The method's result, in five calls; a call without an answer ends the connection."""
        request = TMemoryBuffer()
        ask(TBinaryProtocol(request), method, arguments)
        try:
            result = self._processed(request.getvalue())
            return answer(TBinaryProtocol(TMemoryBuffer(result)), method)
        except BaseException:
            self.is_open = False
            raise

    def close(self) -> None:
        """Close the client; one of a JVM that has ended is closed."""
        self.is_open = False
        with suppress(*JVM_FAILURES):
            self._client.close()

    def _processed(self, request: bytes) -> bytes:
        """The bytes of the answer, which the processor writes behind those of the request."""
        try:
            buffer = self._buffer(len(request))
            protocol = self._protocol(buffer)
            buffer.write(request)
            self._processor.process(protocol, protocol)
            return bytes(buffer.getArray()[len(request) :])
        except JVM_FAILURES as error:
            raise TTransportException(message=_said(error)) from error


class InJvmMetastore(HiveMetastore):
    """The client on Spark's own Hive classes and settings."""

    def __init__(self, spark: SparkSession) -> None:
        catalog = jvm.shared_state(spark).externalCatalog().unwrapped()
        self._conf = catalog.client().conf()
        apache = jvm.classes(spark).org.apache
        hive, thrift = apache.hadoop.hive.metastore, apache.thrift
        classes = (  # each looked up once: py4j asks the JVM for every part of a name
            hive.HiveMetaStoreClient,
            hive.api.ThriftHiveMetastore.Processor,
            thrift.protocol.TBinaryProtocol,
            thrift.transport.TMemoryBuffer,
        )
        super().__init__(lambda: InJvmConnection(self._conf, *classes))

    def setting(self, key: str) -> str:
        """One of Hive's settings; empty where it has none."""
        return str(self._conf.get(key) or "")

    def _call(self, what: str, method: Method, *arguments: Field) -> Any:
        """A call that may be made twice is made on a new connection if the old one was dead.

        A long job leaves the connection idle until a server or a proxy closes it, and Hive's
        client does not see that before it calls.
        """
        try:
            return super()._call(what, method, *arguments)
        except MetastoreError as error:
            if isinstance(error, RefusedError) or not method.repeatable:
                raise
            return super()._call(what, method, *arguments)


def _beneath(client: Any) -> Any:
    """The Thrift calls under Hive's client, which changes some of them on their way."""
    calls = client.getClass().getDeclaredField("client")
    calls.setAccessible(True)
    return calls.get(client)


def _said(error: Exception) -> str:
    """What failed in the JVM, without its frames."""
    if not isinstance(error, Py4JJavaError):
        return str(error)
    kind = error.java_exception.getClass().getSimpleName()
    said = str(error.java_exception.getMessage()).partition(FRAMES)[0]
    return f"{kind}: {said}"
