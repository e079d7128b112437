"""The one order in which versions that nobody needs are deleted, on a kind that is scripted."""

from dataclasses import replace

import pytest

from ctas_spark.clock import HOUR_MS, ORPHAN_AGE_MS
from ctas_spark.context import TableName
from ctas_spark.errors import MetastoreError, StorageError
from ctas_spark.retention.clean_up import CleanUp
from ctas_spark.retention.rules import (
    KnownVersion,
    Place,
    Reason,
    RetentionRules,
    Sweep,
)
from ctas_spark.steps import Step, StepReport, observe
from fakes.garbage import TARGET, FakeGarbage, known

LIVE, SUPERSEDED, UNPUBLISHED = Place.LIVE, Place.SUPERSEDED, Place.UNPUBLISHED
AT_ONCE = RetentionRules(versions_to_keep=0, grace_ms=0)
OLD, ORPHAN = known("old", SUPERSEDED), known("orphan", UNPUBLISHED)
GONE = ["look for {}", "delete files of {}", "delete record of {}"]


def deletion(version: str) -> list[str]:
    """All that is done to delete one."""
    return [one.format(version) for one in ["take {}", *GONE]]


def clean(garbage: FakeGarbage, rules: RetentionRules = AT_ONCE, *, dry_run: bool = False) -> Sweep:
    """One clean-up."""
    return CleanUp(garbage, rules, StepReport(TARGET), dry_run).run()


def test_a_version_is_taken_looked_for_and_deleted_in_this_order() -> None:
    """First the record moves, then the target is read again; the record goes last."""
    garbage = FakeGarbage([OLD])
    assert clean(garbage).freed == ["dir old"]
    assert garbage.did == deletion("old")


def test_the_live_version_stays() -> None:
    """Whatever the rules."""
    garbage = FakeGarbage([known("live", LIVE)])
    assert clean(garbage).kept == {"live": Reason.LIVE}
    assert garbage.did == []


def test_what_its_kind_keeps_stays() -> None:
    """A foreign tree, a format's own snapshots: for whatever reason it says."""
    for reason in (Reason.FOREIGN, Reason.NATIVE):
        garbage = FakeGarbage([replace(OLD, stays=reason, is_deleting=True)])
        assert clean(garbage).kept == {"old": reason}
        assert garbage.did == []


def test_the_newest_superseded_versions_are_kept_for_a_rollback() -> None:
    """As many as versions_to_keep says; neither live nor unpublished ones count."""
    found = [
        known("live", LIVE),
        known("orphan", UNPUBLISHED),
        *(known(f"old{n}", SUPERSEDED) for n in (4, 3, 2, 1)),
    ]
    done = clean(FakeGarbage(found), replace(AT_ONCE, versions_to_keep=2))
    assert done.kept == {"live": Reason.LIVE, "old4": Reason.KEPT, "old3": Reason.KEPT}
    assert done.freed == ["dir old1", "dir old2", "dir orphan"]


def test_a_version_that_is_being_deleted_is_none_to_keep() -> None:
    """It can't be rolled back to any more."""
    found = [replace(OLD, id="going", is_deleting=True), OLD]
    done = clean(FakeGarbage(found), replace(AT_ONCE, versions_to_keep=1))
    assert done.kept == {"old": Reason.KEPT}


@pytest.mark.parametrize(("lived", "kept"), [(HOUR_MS - 1, {"old": Reason.GRACE}), (HOUR_MS, {})])
def test_a_superseded_version_stays_for_its_grace(lived: int, kept: dict[str, Reason]) -> None:
    """Since the publication after it had landed."""
    garbage = FakeGarbage([OLD], left_ms={"old": lived})
    assert clean(garbage, replace(AT_ONCE, grace_ms=HOUR_MS)).kept == kept


@pytest.mark.parametrize(
    ("age", "kept"), [(ORPHAN_AGE_MS - 1, {"orphan": Reason.YOUNG}), (ORPHAN_AGE_MS, {})]
)
def test_an_unpublished_version_stays_while_it_is_young(age: int, kept: dict[str, Reason]) -> None:
    """Its run may still be at work; no owner is looked for."""
    garbage = FakeGarbage([ORPHAN], ages_ms={"orphan": age})
    assert clean(garbage).kept == kept
    assert garbage.did == ([] if kept else deletion("orphan"))


def test_only_ctas_vacuum_lowers_the_orphan_age() -> None:
    """By its argument; the grace has nothing to do with it."""
    garbage = FakeGarbage([ORPHAN], ages_ms={"orphan": 5})
    rules = RetentionRules(orphan_age_ms=5)
    assert clean(garbage, rules).freed == ["dir orphan"]
    assert RetentionRules().orphan_age_ms == ORPHAN_AGE_MS == 3 * 24 * HOUR_MS


def test_an_orphan_age_of_nothing_takes_what_came_during_the_look() -> None:
    """A storage's clock may be behind the time of a file that was just written."""
    garbage = FakeGarbage([ORPHAN], ages_ms={"orphan": -4})
    assert clean(garbage, RetentionRules(orphan_age_ms=0)).freed == ["dir orphan"]


@pytest.mark.parametrize("version", [OLD, ORPHAN])
def test_a_version_that_may_be_published_stays(version: KnownVersion) -> None:
    """While the target is what its writer, or a rollback, expects: however old it is."""
    garbage = FakeGarbage([version], landing={version.id})
    assert clean(garbage).kept == {version.id: Reason.MAY_LAND}
    assert garbage.did == []


@pytest.mark.parametrize("version", [OLD, ORPHAN])
def test_a_fence_lets_it_go(version: KnownVersion) -> None:
    """ctas_vacuum may give the target a fresh commit id first."""
    garbage = FakeGarbage([version], landing={version.id})
    done = clean(garbage, replace(AT_ONCE, fences=True))
    assert done.freed == [version.directory]
    assert garbage.did[0] == "fence"
    assert garbage.did[-4:] == deletion(version.id)


def test_a_fence_that_did_not_help_keeps_it() -> None:
    """A rollback wrote the new commit id to the record in between."""
    garbage = FakeGarbage([ORPHAN], landing={"orphan"}, lands_all_the_same=True)
    assert clean(garbage, replace(AT_ONCE, fences=True)).kept == {"orphan": Reason.MAY_LAND}


def test_one_fence_is_enough_for_all() -> None:
    """None is made where no version needs one."""
    garbage = FakeGarbage([ORPHAN, replace(ORPHAN, id="other")], landing={"orphan", "other"})
    clean(garbage, replace(AT_ONCE, fences=True))
    assert garbage.did.count("fence") == 1
    nothing = FakeGarbage([OLD, ORPHAN])
    clean(nothing, replace(AT_ONCE, fences=True))
    assert "fence" not in nothing.did


def test_a_young_version_is_not_fenced() -> None:
    """Its writer is most likely alive."""
    garbage = FakeGarbage([ORPHAN], ages_ms={"orphan": 0}, landing={"orphan"})
    clean(garbage, replace(AT_ONCE, fences=True))
    assert garbage.did == []


@pytest.mark.parametrize(("lived", "freed"), [(0, []), (HOUR_MS, ["dir orphan"])])
def test_an_orphan_that_may_have_been_live_has_its_grace_too(lived: int, freed: list[str]) -> None:
    """The target's history does not prove that nobody reads it."""
    garbage = FakeGarbage([ORPHAN], left_ms={"orphan": lived}, lived={"orphan"})
    done = clean(garbage, replace(AT_ONCE, grace_ms=HOUR_MS, orphan_age_ms=0))
    assert done.freed == freed


def test_an_orphan_that_may_have_been_live_is_as_old_as_what_replaced_it() -> None:
    """Since that had landed, the whole orphan age has to be over."""
    garbage = FakeGarbage([ORPHAN], left_ms={"orphan": ORPHAN_AGE_MS - 1}, lived={"orphan"})
    assert clean(garbage).kept == {"orphan": Reason.GRACE}


def test_an_orphan_that_is_published_just_before_the_fence_has_its_grace() -> None:
    """Its writer's call came first: what the history proved before does not count any more."""
    garbage = FakeGarbage(
        [ORPHAN], left_ms={"orphan": None}, landing={"orphan"}, lands_before_the_fence=True
    )
    assert clean(garbage, replace(AT_ONCE, fences=True)).kept == {"orphan": Reason.NOT_LEFT}
    assert garbage.did == ["fence"]


@pytest.mark.parametrize("version", [OLD, ORPHAN])
def test_what_nobody_is_known_to_have_left_stays(version: KnownVersion) -> None:
    """Not to know is never "long ago"."""
    garbage = FakeGarbage([version], left_ms={version.id: None}, lived={version.id})
    assert clean(garbage).kept == {version.id: Reason.NOT_LEFT}
    assert garbage.did == []


@pytest.mark.parametrize("reason", [Reason.LIVE, Reason.REFERENCED, Reason.EXPECTED])
def test_what_is_shown_after_all_is_given_back(reason: Reason) -> None:
    """The read after the record was taken decides."""
    garbage = FakeGarbage([OLD], shows={"old": reason})
    assert clean(garbage).kept == {"old": reason}
    assert garbage.did == ["take old", "look for old", "give back old"]


@pytest.mark.parametrize("reason", [Reason.UNSEARCHED, Reason.FOREIGN])
def test_what_could_not_be_searched_stays_taken(reason: Reason) -> None:
    """Nobody knows that it is shown: the next clean-up goes on with it."""
    garbage = FakeGarbage([OLD], shows={"old": reason})
    assert clean(garbage).kept == {"old": reason}
    assert garbage.did == ["take old", "look for old"]


def test_a_record_that_another_took_is_left() -> None:
    """A rollback and a clean-up can't both have it."""
    garbage = FakeGarbage([OLD], taken_by_others={"old"})
    assert clean(garbage).kept == {"old": Reason.TAKEN}
    assert garbage.did == ["take old"]


def test_a_deletion_that_was_begun_goes_on() -> None:
    """Whatever the rules say by now; the target is read again all the same."""
    begun = replace(OLD, is_deleting=True)
    garbage = FakeGarbage([begun])
    done = clean(garbage, RetentionRules(versions_to_keep=9, grace_ms=10**9))
    assert done.freed == ["dir old"]
    assert garbage.did == [one.format("old") for one in GONE]
    shown = FakeGarbage([begun], shows={"old": Reason.LIVE})
    assert clean(shown).kept == {"old": Reason.LIVE}
    assert shown.did == ["look for old", "give back old"]


def test_a_directory_that_fills_again_keeps_its_record() -> None:
    """What writes into it is not known, so the next clean-up has to find it."""
    garbage = FakeGarbage([OLD], filling={"old"})
    assert clean(garbage).kept == {"old": Reason.FULL}
    assert "delete record of old" not in garbage.did


@pytest.mark.parametrize(
    ("call", "version"),
    [("left", OLD), ("age", ORPHAN), ("may_land", ORPHAN), ("shown", OLD)],
)
def test_what_can_not_be_found_out_deletes_nothing(call: str, version: KnownVersion) -> None:
    """It is an error, and never "old" or "not shown"."""
    garbage = FakeGarbage([version], fails={call: MetastoreError("no answer")})
    with pytest.raises(MetastoreError):
        clean(garbage)
    assert not any(one.startswith("delete") for one in garbage.did)


def test_files_that_can_not_be_deleted_keep_their_record() -> None:
    """It is what the next clean-up finds them by."""
    garbage = FakeGarbage([OLD], fails={"files": StorageError("refused")})
    done = clean(garbage)
    assert [*done.failed] == ["old"]
    with pytest.raises(StorageError):
        done.require_all()
    assert garbage.did == ["take old", "look for old"]


def test_a_version_that_can_not_be_deleted_stops_none_of_the_others() -> None:
    """One file of another user would keep every later version for ever; it is still told."""
    rest = known("rest", SUPERSEDED)
    garbage = FakeGarbage([OLD, rest], fails={"files": StorageError("refused")}, once=True)
    done = clean(garbage)
    assert (done.freed, [*done.failed]) == (["dir old"], ["rest"])
    assert garbage.did[:3] == ["take rest", "take old", "look for rest old"]
    assert garbage.did[3:] == ["delete record of old"] or "delete record of old" in garbage.did


def test_a_dry_run_only_looks() -> None:
    """It names what a real one would free, and notes, fences and takes nothing."""
    garbage = FakeGarbage(
        [known("live", LIVE), OLD, ORPHAN, replace(ORPHAN, id="clone")],
        landing={"orphan"},
        shows={"clone": Reason.REFERENCED},
    )
    done = clean(garbage, replace(AT_ONCE, fences=True), dry_run=True)
    assert done.freed == ["dir orphan", "dir old"]
    assert done.kept == {"live": Reason.LIVE, "clone": Reason.REFERENCED}
    assert {one.split(" ")[0] for one in garbage.did} == {"look"}


def test_finishing_goes_on_with_what_was_begun_and_begins_nothing() -> None:
    """That is all that ctas_recover deletes."""
    found = [
        known("live", LIVE),
        OLD,
        ORPHAN,
        replace(OLD, id="begun", directory="dir begun", is_deleting=True),
        replace(OLD, id="foreign", is_deleting=True, stays=Reason.FOREIGN),
    ]
    garbage = FakeGarbage(found)
    done = CleanUp(garbage, AT_ONCE, StepReport(TARGET)).finish()
    assert (done.freed, done.kept) == (["dir begun"], {})
    assert garbage.did == [one.format("begun") for one in GONE]


def test_every_change_is_a_step() -> None:
    """By which tests end a clean-up between any two."""
    seen: list[Step] = []

    class Seen:
        def entered(self, step: Step, target: TableName) -> None:
            assert target == TARGET
            seen.append(step)

        def left(self, step: Step, target: TableName) -> None:
            """Nothing."""

    with observe(Seen()):
        clean(FakeGarbage([ORPHAN], landing={"orphan"}), replace(AT_ONCE, fences=True))
    assert seen == [Step.FENCE, Step.TAKE_RECORD, Step.DELETE_FILES, Step.DELETE_RECORD]


def test_the_defaults_keep_one_version_and_an_hour() -> None:
    """And neither fence nor search: those are ctas_vacuum's."""
    rules = RetentionRules()
    assert (rules.versions_to_keep, rules.grace_ms) == (1, HOUR_MS)
    assert (rules.fences, rules.thorough, rules.moved) == (False, False, None)
