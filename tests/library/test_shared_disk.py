"""Unix users of one group share the directories of versions on a local disk."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from ctas_spark.errors import StorageError
from ctas_spark.storage.hadoop import HadoopStorage

ANALYSTS = 20_001
ALICE, BOB = 20_002, 20_003
FORK = get_context("fork")
"""What is imported stays: another user may not read where Python is installed."""


class OnDisk(HadoopStorage):
    """A storage of local files, as far as it needs no JVM."""

    def __init__(self) -> None:
        """No session."""


def publish(schema: Path, version: Path, user: int, groups: list[int], said: Connection) -> None:
    """As a user: delete the version before, and write one as Spark does."""
    os.setgroups(groups)
    os.setgid(user)
    os.setuid(user)
    os.umask(0o022)
    storage, root = OnDisk(), version.parent
    try:
        for one in (*reversed(root.parents[:2]), root):
            storage.make_directory(f"file:{one}", like=f"file:{schema}")
        if version.exists():
            shutil.rmtree(version)
        (version / "k=1").mkdir(parents=True)
        (version / "k=1" / "part-0").touch()
        storage.copy_permissions(f"file:{root}", f"file:{version}")
        storage.create(f"file:{root.parent}/staging-id", "whose")
        said.send("")
    except (StorageError, OSError) as error:
        said.send(str(error))


def runs(user: int, schema: Path, *groups: int) -> str:
    """What the user's run says, in a process of its own."""
    version = schema / "ctas-spark" / "s0" / "shop.orders" / "before"
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=publish, args=(schema, version, user, [*groups], theirs))
    process.start()
    process.join(60)
    return str(ours.recv()) if ours.poll() else "it said nothing"


@pytest.fixture(params=[0o2775, 0o775])
def schema(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A directory of the group, whose files get the group with the bit alone."""
    if os.geteuid():
        pytest.skip("acting as other users needs root")
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        schema = Path(directory) / "shop.db"
        schema.mkdir()
        os.chown(schema, -1, ANALYSTS)
        schema.chmod(request.param)
        yield schema


def test_users_of_a_group_write_into_each_others_directories(schema: Path) -> None:
    """And delete each other's versions, their partitions included, at the usual umask."""
    for user in (ALICE, BOB, ALICE):
        assert runs(user, schema, ANALYSTS) == ""
        (version,) = schema.glob("ctas-spark/s0/shop.orders/before")
        assert version.stat().st_uid == user
    for directory in (path for path in schema.rglob("*") if path.is_dir()):
        found = directory.stat()
        assert (found.st_gid, found.st_mode & 0o777) == (ANALYSTS, 0o775), directory


def test_a_user_of_another_group_is_refused(schema: Path) -> None:
    """By name, and before anything is written."""
    assert runs(ALICE, schema, ANALYSTS) == ""
    assert "this user may not write in file:" in runs(BOB, schema)
