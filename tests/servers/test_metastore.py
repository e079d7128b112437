"""The metastore server that tests start."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from servers import metastore
from servers.metastore import running_metastore
from servers.processes import ServerStartError, wait_until

pytestmark = pytest.mark.long
SUPPORT = Path(__file__).parents[1] / "support"
START_AND_WAIT = """
import sys, time
from pathlib import Path
from servers.metastore import running_metastore
with running_metastore(Path(sys.argv[1]), Path(sys.argv[2])) as server:
    print(server.pid, flush=True)
    sys.stdin.read()
"""


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_metastore_ends_with_its_context(tmp_path: Path) -> None:
    """A metastore answers inside its context and has ended after it."""
    with running_metastore(tmp_path / "server", tmp_path / "warehouse") as server:
        assert server.pid is not None
        assert _is_alive(server.pid)
        assert server.spark_conf()["spark.hadoop.hive.metastore.uris"] == server.uri
    assert not _is_alive(server.pid)


def test_a_metastore_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    """A kill -9 of the process that started a metastore leaves no server behind."""
    starter = subprocess.Popen(
        [sys.executable, "-c", START_AND_WAIT, tmp_path / "server", tmp_path / "warehouse"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SUPPORT)},
        text=True,
    )
    with starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        starter.send_signal(signal.SIGKILL)
    wait_until(lambda: not _is_alive(pid), 30, f"the end of the metastore {pid}")


def test_a_metastore_that_cannot_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that ends before it answers raises at once, with its log in the message."""
    monkeypatch.setattr(metastore, "JVM_OPTIONS", ("-XX:NoSuchOption",))
    with (
        pytest.raises(ServerStartError, match="NoSuchOption"),
        running_metastore(tmp_path / "server", tmp_path / "warehouse"),
    ):
        pass
