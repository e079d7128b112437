"""What the lineage and the records' bases say of a version, without a note on any of them."""

from ctas_spark.files.chain import Chain, Landed
from ctas_spark.files.record import Record, RecordedBase
from fakes.commits import commit


def chain(*orders: int, named: tuple[int, ...] = ()) -> Chain:
    """Publications that each landed at ten times their place, newest first."""
    return Chain(tuple(map(landed, orders)), tuple(map(landed, named)))


def landed(order: int) -> Landed:
    """One publication, of a version called after it."""
    return Landed(commit(order), order * 10)


def over(version: str, *bases: int | str) -> Record:
    """A record; a base is a publication's place, or what was there instead, seen at 15."""
    texts = [one if isinstance(one, str) else f"commit:{commit(one)}" for one in bases]
    return Record("shop.orders", version, "r", tuple(RecordedBase(one, 15, 1) for one in texts))


def test_a_version_was_left_when_the_next_one_had_landed() -> None:
    """As the lineage has them; nobody has left the last one."""
    assert chain(3, 2, 1).left_ms(over("v1", "absent")) == 20
    assert chain(3, 2, 1).left_ms(over("v2", 1)) == 30
    assert chain(3, 2, 1).left_ms(over("v3", 2)) is None


def test_a_fence_does_not_leave_the_version_that_it_keeps() -> None:
    """It names the same version once more."""
    fenced = Chain((Landed(commit(4, "v3"), 40), landed(3), landed(2)), ())
    assert fenced.left_ms(over("v3", 2)) is None
    assert fenced.left_ms(over("v2", 1)) == 30


def test_beyond_the_lineage_the_bases_of_later_records_tell_it() -> None:
    """The first later publication that is known, whatever is gone in between."""
    assert chain(9, 8, named=(3, 5)).left_ms(over("v3", 2)) == 50
    assert chain(9, 8).left_ms(over("v3", 2)) == 80


def test_an_attempt_over_nothing_dates_from_when_that_was_read() -> None:
    """A publication from before that is none that came after it."""
    assert chain(14, 12).left_ms(over("v", "absent")) is None
    assert chain(16, 14).left_ms(over("v", "absent")) == 160


def test_a_rollback_that_has_taken_the_record_since_counts() -> None:
    """It may publish the version again: what followed its first publication proves nothing."""
    assert chain(3, 2, 1).left_ms(over("v1", "absent", 3)) is None
    assert chain(5, 3, 2, 1).left_ms(over("v1", "absent", 3)) == 50


def test_what_is_known_to_have_been_published_stands_newest_first() -> None:
    """In the lineage's order, then in that of the ids."""
    found = chain(2, 7, named=(4, 5))
    assert found.published(["v4", "v5", "v7", "v2", "v9"]) == ("v2", "v7", "v5", "v4")


def test_a_base_in_the_lineage_proves_an_attempt_unpublished() -> None:
    """Its publication would stand right after it; a list that was cut says nothing."""
    assert chain(3, 2).proves_unpublished(over("v", 2))
    assert chain(3, 2).proves_unpublished(over("v", 3))
    assert not chain(3, 2).proves_unpublished(over("v", 1))
    assert not chain(3, 2).proves_unpublished(over("v", "absent"))
    assert not chain(3, 2).proves_unpublished(over("v3", 2))
    assert chain(3, 2).proves_unpublished(over("v"))


def test_a_rollback_proves_nothing_of_what_came_before_it() -> None:
    """A version of an earlier life may have been published over its first base."""
    assert not chain(3, 2).proves_unpublished(over("v", 1, 2))
    assert not chain(3, 2).proves_unpublished(over("v", "absent", 3))
    assert chain(3, 2).proves_unpublished(over("v", 2, 3))


def test_a_version_is_of_this_life_if_the_lineage_has_all_its_publications() -> None:
    """One that another life has published may be shown under another name."""
    assert chain(3, 2, named=(2,)).is_of_this_life("v2")
    assert not chain(3, 2).is_of_this_life("v9")
    again = Chain((landed(3), Landed(commit(2, "v1"), 20)), (landed(1),))
    assert not again.is_of_this_life("v1")
