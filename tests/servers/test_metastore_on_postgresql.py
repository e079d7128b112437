"""The metastore server on PostgreSQL that tests start."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pymetastore.hive_metastore import ThriftHiveMetastore, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TApplicationException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from servers import jars
from servers.jars import Jar, JarError, fetched
from servers.metastore import Metastore
from servers.metastore_on_postgresql import (
    ISOLATION,
    REPEATABLE_READ,
    metastore_on,
    running_metastore_on_postgresql,
)
from servers.postgresql import running_postgresql

pytestmark = pytest.mark.long
DRIVER = jars.POSTGRESQL_DRIVER


@contextmanager
def _client(server: Metastore) -> Iterator[ThriftHiveMetastore.Client]:
    transport = TBufferedTransport(TSocket("127.0.0.1", server.port))
    transport.open()
    yield ThriftHiveMetastore.Client(TBinaryProtocol(transport))
    transport.close()


def _lock(client: ThriftHiveMetastore.Client) -> ttypes.LockResponse:
    component = ttypes.LockComponent(
        ttypes.LockType.EXCLUSIVE, ttypes.LockLevel.TABLE, "default", "locked"
    )
    return client.lock(ttypes.LockRequest([component], user="someone", hostname="localhost"))


def test_tables_survive_the_end_of_the_server(tmp_path: Path) -> None:
    """A metastore on PostgreSQL finds after a restart what was there before it."""
    warehouse = tmp_path / "warehouse"
    with running_postgresql(tmp_path / "postgresql") as database:
        with metastore_on(database, tmp_path / "first", warehouse) as server, _client(server) as it:
            it.create_database(ttypes.Database("kept", None, f"file:{warehouse}/kept.db", {}))
        with (
            metastore_on(database, tmp_path / "second", warehouse) as server,
            _client(server) as it,
        ):
            assert set(it.get_all_databases()) == {"default", "kept"}
        assert "kept" in database.execute('SELECT "NAME" FROM "DBS"')


def test_a_server_with_that_setting_reads_one_state_of_its_database(tmp_path: Path) -> None:
    """What a profile declares by ``metastore_reads``: its connections ask for repeatable reads."""
    settings = {ISOLATION: REPEATABLE_READ}
    with running_postgresql(tmp_path / "postgresql") as database:
        database.execute("ALTER ROLE CURRENT_USER SET log_statement = 'all'")
        with metastore_on(database, tmp_path / "server", tmp_path / "warehouse", settings):
            said = (tmp_path / "postgresql" / "postgresql.log").read_text()
    assert "TRANSACTION ISOLATION LEVEL REPEATABLE READ" in said


def test_locks_are_granted_one_after_the_other(tmp_path: Path) -> None:
    """With its lock tables, the server grants the second lock once the first is released."""
    with (
        running_metastore_on_postgresql(
            tmp_path / "server", tmp_path / "warehouse", lock_tables=True
        ) as server,
        _client(server) as client,
    ):
        first, second = _lock(client), _lock(client)
        assert first.state == ttypes.LockState.ACQUIRED
        assert second.state == ttypes.LockState.WAITING
        client.heartbeat(ttypes.HeartbeatRequest(lockid=first.lockid))
        client.unlock(ttypes.UnlockRequest(first.lockid))
        granted = client.check_lock(ttypes.CheckLockRequest(second.lockid))
        assert granted.state == ttypes.LockState.ACQUIRED


def test_there_are_no_locks_without_their_tables(tmp_path: Path) -> None:
    """Without its lock tables, the server refuses to lock and goes on answering."""
    with (
        running_metastore_on_postgresql(tmp_path / "server", tmp_path / "warehouse") as server,
        _client(server) as client,
    ):
        with pytest.raises(TApplicationException, match="lock"):
            _lock(client)
        assert client.get_all_databases() == ["default"]


def test_a_jar_with_another_checksum_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A jar that is not the expected one is not kept, and the message has both checksums."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    other = Jar(DRIVER.group, DRIVER.artifact, DRIVER.version, "0" * 64)
    with pytest.raises(JarError, match=f"{DRIVER.sha256}, not 000"):
        fetched(other)
    assert list(tmp_path.rglob("*.jar")) == []
