"""Errors have stable names, and docs/errors.md explains each of them."""

import inspect
import re
from pathlib import Path

import pytest

from ctas_spark import errors
from ctas_spark.errors import (
    ConcurrentWriteError,
    ConfigurationError,
    ProfileError,
    StagingError,
    StorageError,
)

DOCS = Path(__file__).parents[2] / "docs" / "errors.md"
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
LISTED = re.compile(r"^[│├└─ ]*(\w+Error) +([A-Z_]+)\b", re.MULTILINE)
TREE = {name: kind for name, kind in vars(errors).items() if inspect.isclass(kind)}
NAMED = {name: kind.name for name, kind in TREE.items() if issubclass(kind, StagingError)}


def test_every_error_has_a_name_of_its_own() -> None:
    """A name tells one error of the tree from all others."""
    assert all("name" in vars(TREE[error]) for error in NAMED)
    assert len(set(NAMED.values())) == len(NAMED)


def test_the_page_explains_every_name_once_and_nothing_else() -> None:
    """docs/errors.md has a row for each name, with cause, state of the table and remedy."""
    rows = ROW.findall(DOCS.read_text())
    assert sorted(name for name, *_ in rows) == sorted(NAMED.values())
    assert len(rows) == DOCS.read_text().count("\n|") - 2


def test_the_drawn_tree_is_the_tree() -> None:
    """The module's docstring shows every error with its name."""
    assert dict(LISTED.findall(str(errors.__doc__))) == NAMED


@pytest.mark.parametrize(
    ("error", "beginning"),
    [
        (StagingError("no"), "[PUBLICATION_FAILED] no"),
        (ConcurrentWriteError("no", table="s.t"), "[CONCURRENT_WRITE] no\n  table: s.t"),
        (
            ConfigurationError("m", ["a", "b"]),
            "[INVALID_CONFIGURATION] 2 configuration errors in m; no job was started:\n  - a",
        ),
        (ProfileError.of(["a"]), "[INVALID_PROFILE] 1 error in the profile; nothing was started:"),
    ],
)
def test_a_message_begins_with_the_name(error: StagingError, beginning: str) -> None:
    """What a user reads first is the name in brackets, as in Spark's errors."""
    assert str(error).startswith(beginning)


def test_no_error_shows_a_stack_of_javas() -> None:
    """A server sends it as a part of its words, whatever the error."""
    said = (
        "could not list it: Permission denied: user=me\n"
        "\tat org.apache.hadoop.hdfs.server.namenode.FSNamesystem.check(FSNamesystem.java:99)\n"
        "\tat java.base/java.lang.Thread.run(Thread.java:840)\n"
        "Caused by: it is closed\n\t... 12 more"
    )
    assert str(StorageError(said, left="it is unchanged")) == (
        "[STORAGE_FAILED] could not list it: Permission denied: user=me\n"
        "Caused by: it is closed\n  left: it is unchanged"
    )
