"""What stands on a target: who published it, and what was there before."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbt.adapters.ctas_spark.staging.publish.marker import (
    MOST_CHARACTERS,
    MOST_ENTRIES,
    Kind,
    Lineage,
    LineageEntry,
    Marker,
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
    assert marker.lineage.has_version("b")
    assert not marker.lineage.has_version("x")


def test_the_keys_of_a_marker_are_ones_that_a_metastore_filters_by() -> None:
    """Letters, digits and underscores only."""
    assert all(key.replace("_", "").isalnum() for key in MARKER.to_parameters())


def test_only_a_fence_keeps_the_version() -> None:
    """Builds and rollbacks publish one."""
    assert [kind for kind in Kind if kind.keeps_the_version] == [Kind.FENCE]
