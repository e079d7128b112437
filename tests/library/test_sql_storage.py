"""Storage through a server: the statements that it is asked, and what its answers mean."""

import re
from collections.abc import Collection, Iterator
from typing import Any

import pytest

from ctas_spark.engines.thrift.results import RefusedStatementError, ServerError
from ctas_spark.errors import MetastoreError, StorageError
from ctas_spark.storage.client import StoredFile, data_files
from ctas_spark.storage.sql import SqlStorage

DIRECTORY = "s3a://bucket/shop.db/ctas-spark/s1/shop.t"
VERSION = f"{DIRECTORY}/20260101t000000x00000000"
NOTHING = RefusedStatementError("[PATH_NOT_FOUND] Path does not exist", "PATH_NOT_FOUND")
FORBIDDEN = ServerError("(org.x.AccessControlException) not you", "")


class Server:
    """Answers each statement with what is next, and keeps it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.deleted: list[str] = []
        self.answers: Iterator[Any] = iter(())
        self.storage = SqlStorage(self._ask, self._delete)

    def __call__(self, *answers: Any) -> SqlStorage:
        """The storage whose statements are answered so."""
        self.answers = iter(answers)
        return self.storage

    def _ask(self, statement: str) -> Any:
        self.asked.append(statement)
        answer = next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return [{"listed": len(answer), **one} for one in answer]

    def _delete(self, path: str) -> None:
        if "forbidden" in path:
            raise MetastoreError("its parent is not writable")
        self.deleted.append(path)


@pytest.fixture
def server() -> Server:
    """A server without an answer yet."""
    return Server()


def listed(*names: str) -> list[dict[str, Any]]:
    """The answer of a listing."""
    return [{"path": f"{VERSION}/{one}", "length": 7, "modified_ms": 5} for one in names]


def test_files_are_listed_finished_or_not(server: Server) -> None:
    """What a killed job's tasks left counts for a version's age, and is no data file."""
    unfinished = "_temporary/0/_temporary/attempt_1/part-1.parquet"
    found = server(listed("k=1/part-0.parquet", unfinished)).files(VERSION)
    assert found[0] == StoredFile(f"{VERSION}/k=1/part-0.parquet", 7, 5)
    assert [one.path for one in data_files(found, VERSION)] == [f"{VERSION}/k=1/part-0.parquet"]
    assert "binaryFile.`" in server.asked[0]
    assert "/_temporary/*/_temporary}` WITH (recursiveFileLookup = 'true', " in server.asked[0]


def test_a_listing_is_whole_or_an_error(server: Server) -> None:
    """Whatever the session's settings leave out, and whatever number of rows the server returns."""
    (first, *_) = listed("part-0.parquet", "part-1.parquet")
    with pytest.raises(StorageError, match="returned 1 of the 2 rows") as refused:
        server([{**first, "listed": 2}]).files(VERSION)
    assert "kyuubi.operation.result.max.rows" in refused.value.remedy
    for option in ("ignoreCorruptFiles = 'false'", "ignoreMissingFiles = 'false'"):
        assert option in server.asked[0]
    assert "ignoredPathSegmentRegex = '^[._]'" in server.asked[0]


def test_a_path_is_no_pattern(server: Server) -> None:
    """Characters with which Hadoop and SQL mean more are escaped."""
    server([]).files("file:/a b[1]{x}*?\\`${y}/")
    assert "binaryFile.`file:/a b\\[1\\]\\{x\\}\\*\\?\\\\``[$]\\{y\\}{," in server.asked[0]
    server([]).files("s3a://b/currency=US$")
    assert "currency=US[$]{," in server.asked[1]


def test_what_is_not_there_has_no_files(server: Server) -> None:
    """The server's own "no" is an answer; any other error is none."""
    assert server(NOTHING).files(VERSION) == ()
    assert server(NOTHING).children(DIRECTORY) == ()
    assert server(NOTHING).read(f"{DIRECTORY}/staging-id") is None
    assert server(NOTHING).exists(VERSION) is False
    assert server([]).exists(VERSION) is True
    for ask in (server.storage.files, server.storage.children, server.storage.exists):
        server(FORBIDDEN)
        with pytest.raises(StorageError, match=r"the server could not .* not you"):
            ask(VERSION)


def test_children_are_named_by_what_is_below_them(server: Server) -> None:
    """By the path alone: a server may spell scheme and host in another way."""
    assert server([{"name": "b"}, {"name": "a"}]).children(f"{DIRECTORY}/") == ("a", "b")
    at = len("/shop.db/ctas-spark/s1/shop.t") + 2
    assert f"(//[^/]*)?', ''), {at}), '/', 1) AS name" in server.asked[0]
    assert "shop.t/*{," in server.asked[0]


class Directory:
    """A server's answers about one directory, of which ``files`` shows a name, or nothing."""

    def __init__(self, names: Collection[str], files: Collection[str] = ()) -> None:
        self.names, self.files = names, files
        self.asked: list[str] = []
        self.storage = SqlStorage(self._ask, lambda _: None)

    def _ask(self, statement: str) -> Any:
        self.asked.append(statement)
        if not statement.startswith("DESCRIBE"):
            return [{"listed": len(self.files), "name": one} for one in self.files]
        pattern = statement.partition(f"{DIRECTORY}/")[2].partition("`")[0]
        regex = pattern.translate({ord("{"): "(?:", ord("}"): ")", ord(","): "|", ord("*"): ".*"})
        if any(re.fullmatch(regex, name) for name in self.names):
            return []
        raise NOTHING


def test_a_version_without_a_file_is_found() -> None:
    """A killed job may have made its directory and written nothing yet: no listing shows that."""
    live, begun, killed = (f"20260101t00000{n}x00000000" for n in range(3))
    found = Directory([live, begun, killed, ".clock-1"], files=[live, begun, ".clock-1"])
    assert found.storage.children(DIRECTORY, [live]) == (".clock-1", begun, killed)


def test_where_all_versions_are_known_no_job_runs() -> None:
    """One statement says that there is no other, and it only looks at names."""
    live = "20260101t000000x00000000"
    found = Directory([live], files=[live])
    assert found.storage.children(DIRECTORY, [live]) == ()
    assert [one.split()[0] for one in found.asked] == ["DESCRIBE"]


def test_on_spark_3_a_listing_is_a_view_first(server: Server) -> None:
    """It has no other place for the options; whether a path is there, the view's creation says."""
    server.storage = SqlStorage(server._ask, server._delete, by_views=True)  # noqa: SLF001
    assert len(server([], listed("part-0.parquet"), []).files(VERSION)) == 1
    created, asked, dropped = server.asked
    assert f"OPTIONS (path = '{VERSION}" in created
    assert created.startswith("CREATE TEMPORARY VIEW `ctas_spark_listing_")
    name = created.split()[3]
    assert f" FROM {name})" in asked
    assert dropped == f"DROP VIEW {name}"
    assert server([], []).exists(VERSION) is True
    assert server(NOTHING).exists(VERSION) is False


def test_a_small_text_is_one_line_of_a_directory(server: Server) -> None:
    """Writers of one text may leave it more than once: it is read once."""
    server([]).write(f"{DIRECTORY}/staging-id", '{"a": "it\'s"}')
    assert 'USING text SELECT \'{"a": "it\\\'s"}\' AS value' in server.asked[0]
    assert server([{"value": "x"}]).read("s3a://b/id") == "x"
    assert server([]).read("s3a://b/id") is None
    assert "collect_set(struct(*))" in server.asked[1]
    assert "(SELECT /*+ COALESCE(1) */ value FROM text.`s3a://b/id`" in server.asked[1]


def test_of_two_writers_of_a_text_at_most_one_stays(server: Server) -> None:
    """Each writes next to the other, and takes back what it did not find alone."""
    mine, theirs = {"value": "mine"}, {"value": "theirs"}
    assert server([theirs]).create("s3a://b/id", "mine") is False
    assert server(NOTHING, [], [mine]).create("s3a://b/id", "mine") is True
    assert not server.deleted
    assert server([], [], [mine, theirs], NOTHING).create("s3a://b/id", "mine") is False
    written = re.search(r"DIRECTORY '(s3a://b/id/\w{16})'", server.asked[-3])
    assert written is not None
    assert server.deleted == [written.group(1)]


def test_the_time_is_that_of_a_file_just_written(server: Server) -> None:
    """It is deleted again; if that fails it stays."""
    assert server([], listed("part-0.txt"), NOTHING).now_ms(DIRECTORY) == 5
    assert server.deleted[0].startswith(f"{DIRECTORY}/.clock-")
    assert server([], listed("part-0.txt")).now_ms("s3a://b/forbidden") == 5
    with pytest.raises(StorageError, match="is not there"):
        server([], [], NOTHING).now_ms(DIRECTORY)


def test_a_directory_is_deleted_by_the_metastore(server: Server) -> None:
    """Its refusal is an error of the storage, and says what to check."""
    server(NOTHING).delete(VERSION)
    assert server.deleted == [VERSION]
    with pytest.raises(StorageError, match="parent is not writable"):
        server.storage.delete("s3a://b/forbidden")


def test_a_metastore_that_keeps_what_it_was_to_delete_is_found_out(server: Server) -> None:
    """It reports no error; files that a task has written since then are another matter."""
    before, after = listed("part-0.parquet"), listed("part-1.parquet")
    for kept in (before, []):
        with pytest.raises(StorageError, match=r"asked twice .* reported no error"):
            server([], kept, [], kept).delete(VERSION)
    server([], before, [], after).delete(VERSION)
    server([], before, NOTHING).delete(VERSION)


def test_a_root_needs_its_scheme(server: Server) -> None:
    """And one that the server knows; nothing below it is listed."""
    with pytest.raises(StorageError, match="has no scheme"):
        server.storage.qualified("/tables")
    assert server(NOTHING).qualified("s3a://b/tables") == "s3a://b/tables"
    assert "s3a://b/tables/.clock-" in server.asked[0]
    with pytest.raises(StorageError, match="could not look"):
        server(FORBIDDEN).qualified("x://b/tables")


def test_what_sql_lacks_is_said(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """Permissions by one warning for a run, a copy by an error."""
    server.storage.copy_permissions("s3a://b/old", VERSION)
    server.storage.copy_permissions("s3a://b/old", VERSION)
    assert len(caplog.records) == 1
    assert "permissions" in caplog.text
    with pytest.raises(StorageError, match="copies no directory"):
        server.storage.copy("s3a://b/old", VERSION)
    assert server.storage.modified_ms(VERSION) is None
