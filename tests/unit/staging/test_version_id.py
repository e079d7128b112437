"""The ids of versions and publications."""

import re

from dbt.adapters.ctas_spark.staging.version_id import (
    VERSION_ID,
    new_commit_id,
    new_version_id,
    started_ms,
)


def test_a_version_is_named_by_its_start_in_utc() -> None:
    """To the second, so that its age is known without a look at its record."""
    version = new_version_id(1_700_000_000_999)
    assert version.startswith("20231114t221320x")
    assert VERSION_ID.fullmatch(version)
    assert started_ms(version) == 1_700_000_000_000


def test_no_id_comes_twice() -> None:
    """Two attempts of one second have different ones."""
    assert len({new_version_id(0) for _ in range(100)}) == 100
    assert len({new_commit_id() for _ in range(100)}) == 100


def test_an_id_is_one_that_directories_and_metastores_take() -> None:
    """It begins with a letter or digit: Hadoop hides names that begin with ``_`` and ``.``."""
    assert re.fullmatch(r"[0-9][0-9a-z]+", new_version_id(0))
    assert re.fullmatch(r"c[0-9a-f]{16}", new_commit_id())


def test_other_names_are_no_ids() -> None:
    """A clean-up leaves them alone."""
    others = ("20231114t221320x0123abc", "20231114t221320xABCDEF01", "stg_x", "", "_SUCCESS")
    assert not any(VERSION_ID.fullmatch(one) for one in others)
