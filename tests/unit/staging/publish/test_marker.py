"""What stands on a target: who published it, what was there before, and by which ids."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbt.adapters.ctas_spark.staging.publish.marker import (
    MOST_CHARACTERS,
    MOST_ENTRIES,
    VERSION_ID,
    Kind,
    Lineage,
    LineageEntry,
    Marker,
    new_commit_id,
    new_version_id,
    started_ms,
)
from fakes.metastore import entry
from fakes.world import TARGET_NAME

ONE = LineageEntry("c1", "20260101t000000x00000000_0001", Kind.BUILD, 1_700_000_000_000)
MARKER = Marker("c1", ONE.version, "", str(TARGET_NAME), "isolated", Lineage((ONE,)))
IN_PLACE = entry(TARGET_NAME, location=f"file:/w/{ONE.version}", parameters=MARKER.to_parameters())

words = st.from_regex(r"[a-z0-9_]{1,40}", fullmatch=True)
entries = st.builds(LineageEntry, words, words, st.sampled_from(Kind), st.integers(0, 10**15))


def test_a_marker_survives_its_properties() -> None:
    """What is written into the target's properties is what is read back."""
    assert Marker.of(IN_PLACE) == MARKER


@pytest.mark.parametrize(
    "clone",
    [
        replace(IN_PLACE, name=replace(TARGET_NAME, table="clone")),
        replace(IN_PLACE, location="file:/w/another"),
        replace(IN_PLACE, parameters={}),
        replace(IN_PLACE, parameters={**IN_PLACE.parameters, "ctas_spark_lineage": "nonsense"}),
    ],
)
def test_a_marker_that_does_not_fit_its_entry_is_foreign(clone: object) -> None:
    """A marker copied into a clone, or one that can't be read, is not the entry's own."""
    assert Marker.of(clone) is None  # type: ignore[arg-type]


@given(st.lists(entries, max_size=80))
def test_a_lineage_stays_within_its_limits_and_keeps_the_newest(
    history: list[LineageEntry],
) -> None:
    """However many versions there were, the property fits and begins with the newest."""
    lineage = Lineage()
    for publication in history:
        lineage = lineage.followed_by(publication)
    assert len(lineage.entries) <= MOST_ENTRIES
    assert len(str(lineage)) <= MOST_CHARACTERS
    assert lineage.entries == tuple(reversed(history))[: len(lineage.entries)]
    assert Lineage.parse(str(lineage)) == lineage


def test_a_lineage_tells_which_commits_it_has() -> None:
    """One that is not in it may have been cut: that proves nothing."""
    lineage = Lineage((replace(ONE, commit="c2"), ONE))
    assert "c1" in lineage
    assert "c0" not in lineage


def test_numbers_count_publications() -> None:
    """A version's number is that of its last publication, as far as the lineage reaches."""
    versions = [LineageEntry(f"c{n}", version, Kind.BUILD, n) for n, version in enumerate("abca")]
    lineage = Lineage()
    for one in versions:
        lineage = lineage.followed_by(one)
    marker = replace(MARKER, lineage=lineage, number=14)
    assert [marker.number_of(one) for one in "acbx"] == [14, 13, 12, None]
    assert [number for number in range(20) if marker.published("a", number)] == [11, 14]
    assert marker.lineage.has_version("b")
    assert not marker.lineage.has_version("x")


def test_the_keys_of_a_marker_are_ones_that_a_metastore_filters_by() -> None:
    """Letters, digits and underscores only."""
    assert all(key.replace("_", "").isalnum() for key in MARKER.to_parameters())


def test_only_a_fence_keeps_the_version() -> None:
    """Builds and rollbacks publish one."""
    assert [kind for kind in Kind if kind.keeps_the_version] == [Kind.FENCE]


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
