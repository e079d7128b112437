"""A metastore's locks over plain Thrift."""

import socket
from contextlib import suppress
from enum import IntEnum

from thrift.Thrift import TType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError
from dbt.adapters.ctas_spark.staging.metastore.table_locks import AGENT, TableLock
from dbt.adapters.ctas_spark.staging.metastore.thrift.calls import Method, ThriftCalls
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import (
    Field,
    Struct,
    integer,
    long,
    sequence,
    string,
    struct,
)

NO_SUCH_LOCK = "NoSuchLockException"
NO_SUCH_TXN, TXN_ABORTED = "NoSuchTxnException", "TxnAbortedException"

LOCK = Method("lock", {1: NO_SUCH_TXN, 2: TXN_ABORTED}, returns=True)
CHECK = Method("check_lock", {1: NO_SUCH_TXN, 2: TXN_ABORTED, 3: NO_SUCH_LOCK}, returns=True)
HEARTBEAT = Method("heartbeat", {1: NO_SUCH_LOCK, 2: NO_SUCH_TXN, 3: TXN_ABORTED})
SHOW = Method("show_locks", {}, returns=True)
UNLOCK = Method("unlock", {1: NO_SUCH_LOCK, 2: "TxnOpenException"})


class Component(IntEnum):
    """The fields of ``LockComponent`` that are set."""

    TYPE = 1
    LEVEL = 2
    DATABASE = 3
    TABLE = 4
    OPERATION = 6


class Request(IntEnum):
    """The fields of ``LockRequest`` that are set."""

    COMPONENTS = 1
    USER = 3
    HOST = 4
    AGENT = 5


EXCLUSIVE, OF_A_TABLE, WITHOUT_TRANSACTION = 3, 2, 6
LOCK_ID, LOCK_STATE = 1, 2
ACQUIRED = 1
SHOWN, SHOWN_BEAT, SHOWN_USER = 1, 8, 10


class ThriftLocks(ThriftCalls):
    """The protocol's calls on locks; each is one call of the server's."""

    def lock(self, name: TableName, owner: str) -> int:
        """One lock call, for an exclusive lock on the table."""
        request = Field(TType.STRUCT, _request(name, owner))
        answer = self._call(f"lock({name})", LOCK, request)
        lock: int = answer.value(LOCK_ID)
        return lock

    def is_granted(self, lock: int) -> bool:
        """One check_lock call."""
        answer = self._call(f"check_lock({lock})", CHECK, struct(long(lock)))
        return bool(answer.value(LOCK_STATE) == ACQUIRED)

    def locks_on(self, name: TableName) -> tuple[TableLock, ...]:
        """One show_locks call."""
        asked = struct(string(name.database), string(name.table))
        answer = self._call(f"show_locks({name})", SHOW, asked)
        return tuple(map(_shown, answer.structs(SHOWN)))

    def heartbeat(self, lock: int) -> None:
        """One heartbeat call."""
        self._call(f"heartbeat({lock})", HEARTBEAT, struct(long(lock)))

    def unlock(self, lock: int) -> None:
        """One unlock call."""
        with suppress(EntryMissingError):
            self._call(f"unlock({lock})", UNLOCK, struct(long(lock)))


def _shown(lock: Struct) -> TableLock:
    return TableLock(lock.value(LOCK_ID), lock.text(SHOWN_USER) or "", lock.value(SHOWN_BEAT) or 0)


def _request(name: TableName, owner: str) -> Struct:
    component: dict[int, Field] = {
        Component.TYPE: integer(EXCLUSIVE),
        Component.LEVEL: integer(OF_A_TABLE),
        Component.DATABASE: string(name.database),
        Component.TABLE: string(name.table),
        Component.OPERATION: integer(WITHOUT_TRANSACTION),
    }
    return Struct(
        {
            Request.COMPONENTS: sequence(TType.STRUCT, Struct(component)),
            Request.USER: string(owner),
            Request.HOST: string(socket.gethostname()),
            Request.AGENT: string(AGENT),
        }
    )
