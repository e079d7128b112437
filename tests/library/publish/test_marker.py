"""What stands on a target: who published it, what was there before, and by which ids."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.publish.marker import (
    MOST_CHARACTERS,
    MOST_ENTRIES,
    VERSION_ID,
    Lineage,
    LineageEntry,
    Marker,
    PublicationKind,
    new_commit_id,
    new_version_id,
    order_of,
    started_ms,
    version_in,
)
from fakes.commits import commit
from fakes.metastore import entry
from fakes.world import TARGET_NAME

ONE = LineageEntry(commit(1), PublicationKind.BUILD, 1_700_000_000_000)
MARKER = Marker(ONE.commit, "v1", "", str(TARGET_NAME), "isolated", Lineage((ONE,)), ONE.commit)
IN_PLACE = entry(TARGET_NAME, location=f"file:/w/{ONE.version}", parameters=MARKER.to_parameters())

numbers = st.none() | st.integers(0, 10**15)
entries = st.builds(
    LineageEntry,
    st.builds(new_commit_id, st.integers(0, 10**13), st.just("20260101t000000x00000000")),
    st.sampled_from(PublicationKind),
    st.integers(0, 10**13),
    st.builds(WriteFigures, numbers, numbers, numbers),
)


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
        lineage = lineage.followed_by(publication, publication.landed_ms)
    assert len(lineage.entries) <= MOST_ENTRIES
    assert len(str(lineage)) <= MOST_CHARACTERS
    newest = tuple(one.commit for one in reversed(history))
    assert tuple(one.commit for one in lineage.entries) == newest[: len(lineage.entries)]
    assert Lineage.parse(str(lineage)) == lineage


def test_a_lineage_holds_dozens_of_publications() -> None:
    """With their counts, in what every metastore holds of a property."""
    lineage, figures = Lineage(), WriteFigures(rows=10**9, files=10**4, bytes=10**11)
    for number in range(100):
        commit_id = new_commit_id(1_700_000_000_000 + number, new_version_id(0))
        entry = LineageEntry(commit_id, PublicationKind.BUILD, figures=figures)
        lineage = lineage.followed_by(entry, 1_700_000_000_000)
    assert len(lineage.entries) >= 30


def test_a_lineage_tells_which_commits_it_has() -> None:
    """One that is not in it may have been cut: that proves nothing."""
    lineage = Lineage((replace(ONE, commit=commit(2)), ONE))
    assert commit(1) in lineage
    assert commit(0) not in lineage


def test_the_next_publication_says_when_the_one_before_had_landed() -> None:
    """That of the newest one stands in the entry itself."""
    lineage = Lineage().followed_by(LineageEntry(commit(1), PublicationKind.BUILD))
    lineage = lineage.followed_by(LineageEntry(commit(2), PublicationKind.BUILD), 17)
    assert [one.landed_ms for one in lineage.entries] == [None, 17]


def test_a_version_has_the_figures_of_its_last_publication() -> None:
    """A fence counts nothing, and publishes nothing."""
    seven = LineageEntry(commit(1, "a"), PublicationKind.BUILD, figures=WriteFigures(rows=7))
    nine = LineageEntry(commit(2, "b"), PublicationKind.BUILD, figures=WriteFigures(rows=9))
    lineage = Lineage((LineageEntry(commit(3, "b"), PublicationKind.FENCE), nine, seven))
    assert [lineage.figures_of(one).rows for one in "abx"] == [7, 9, None]


def test_a_marker_is_whole_while_its_lineage_has_the_beginning() -> None:
    """Then nothing was cut from the list."""
    assert MARKER.is_whole
    assert not replace(MARKER, life=commit(0)).is_whole


def test_the_keys_of_a_marker_are_ones_that_a_metastore_filters_by() -> None:
    """Letters, digits and underscores only."""
    assert all(key.replace("_", "").isalnum() for key in MARKER.to_parameters())


def test_only_a_fence_keeps_the_version() -> None:
    """Builds and rollbacks publish one."""
    assert [kind for kind in PublicationKind if kind.keeps_the_version] == [PublicationKind.FENCE]


def test_a_version_is_named_by_its_start_in_utc() -> None:
    """To the second, so that its age is known without a look at its record."""
    version = new_version_id(1_700_000_000_999)
    assert version.startswith("20231114t221320x")
    assert VERSION_ID.fullmatch(version)
    assert started_ms(version) == 1_700_000_000_000


def test_no_id_comes_twice() -> None:
    """Two attempts of one second have different ones."""
    assert len({new_version_id(0) for _ in range(100)}) == 100
    assert len({new_commit_id(1, "v") for _ in range(100)}) == 100


def test_an_id_is_one_that_directories_and_metastores_take() -> None:
    """It begins with a letter or digit: Hadoop hides names that begin with ``_`` and ``.``."""
    assert re.fullmatch(r"[0-9][0-9a-z]+", new_version_id(0))


def test_commit_ids_sort_by_publication_and_name_the_version() -> None:
    """The order is a time at the same time, and a string compares like it."""
    ids = [new_commit_id(order, f"v{order}") for order in (9, 10, 1_700_000_000_000)]
    assert ids == sorted(ids)
    assert [order_of(one) for one in ids] == [9, 10, 1_700_000_000_000]
    assert [version_in(one) for one in ids] == ["v9", "v10", "v1700000000000"]


def test_other_names_are_no_ids() -> None:
    """A clean-up leaves them alone."""
    others = ("20231114t221320x0123abc", "20231114t221320xABCDEF01", "stg_x", "", "_SUCCESS")
    assert not any(VERSION_ID.fullmatch(one) for one in others)
