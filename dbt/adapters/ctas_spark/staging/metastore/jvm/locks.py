"""A metastore's locks through Hive's client in Spark's JVM."""

import socket
from contextlib import suppress
from typing import Any

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError
from dbt.adapters.ctas_spark.staging.metastore.jvm.connection import InJvmConnection
from dbt.adapters.ctas_spark.staging.metastore.table_locks import AGENT, TableLock

NO_TRANSACTION = 0


class InJvmLocks(InJvmConnection):
    """The protocol's calls on locks; each is one call of the server's."""

    def lock(self, name: TableName, owner: str) -> int:
        """One lock call, for an exclusive lock on the table."""
        request = self._request(name, owner)
        with self._call(f"lock({name})") as client:
            return int(client.lock(request).getLockid())

    def is_granted(self, lock: int) -> bool:
        """One check_lock call."""
        found = self._read(f"check_lock({lock})", lambda client: client.checkLock(lock))
        return bool(found.getState() == self._hive.api.LockState.ACQUIRED)

    def locks_on(self, name: TableName) -> tuple[TableLock, ...]:
        """One show_locks call."""
        asked = self._hive.api.ShowLocksRequest()
        asked.setDbname(name.database)
        asked.setTablename(name.table)
        found = self._read(f"show_locks({name})", lambda client: client.showLocks(asked))
        return tuple(
            TableLock(int(lock.getLockid()), str(lock.getUser()), int(lock.getLastheartbeat()))
            for lock in found.getLocks()
        )

    def heartbeat(self, lock: int) -> None:
        """One heartbeat call."""
        what = f"heartbeat({lock})"
        self._read(what, lambda client: client.heartbeat(NO_TRANSACTION, lock))

    def unlock(self, lock: int) -> None:
        """One unlock call."""
        with suppress(EntryMissingError), self._call(f"unlock({lock})") as client:
            client.unlock(lock)

    def _request(self, name: TableName, owner: str) -> Any:
        api = self._hive.api
        component = api.LockComponent(api.LockType.EXCLUSIVE, api.LockLevel.TABLE, name.database)
        component.setTablename(name.table)
        component.setOperationType(api.DataOperationType.NO_TXN)
        components = self._jvm.java.util.ArrayList()
        components.add(component)
        request = api.LockRequest(components, owner, socket.gethostname())
        request.setAgentInfo(AGENT)
        return request
