"""A run crashes at each point of all that it may be doing, and a new run recovers."""

import traceback
from collections.abc import Sequence
from itertools import cycle

import pytest

from contract.claims import CLAIMS
from contract.places import Claim
from crashes.cases import TRACKED, Case, Extent, cases, chosen, extent
from crashes.points import Point, moments
from crashes.results import Result, Results
from crashes.stage import Stage
from crashes.trial import Mending, Trial
from ctas_spark.context import Atomicity
from ctas_spark.publish.catalog import ConflictCheck
from ctas_spark.steps import Step
from long import long

TURNS = (Mending.RECOVER, Mending.BEGIN, Mending.BEGIN, Mending.RECOVER)
PARTITIONS = {Step.DROP_PARTITIONS, Step.ADD_PARTITIONS, Step.TRACK_PARTITIONS}
SAME_STEPS = {"orc", "partitioned"}
OF_FILES = PARTITIONS | {Step.FILL_COLUMNS, Step.TAKE_BACK}
# A statement leaves nothing half done, and no version that comes back.
OF_VERSIONS = {Step.ROLL_BACK, Step.RECOVER}


def cases_of(config: pytest.Config) -> list[Case]:
    """What was asked for."""
    return list(cases(chosen(config), extent(config)))


def is_long(case: Case) -> bool:
    """True for what another case shows.

    On a real catalog that is tracked partitions: on fakes each moment of theirs is tried. On fakes
    it is a layout whose steps are those of another, whatever its files, and `atomic` by name where
    that takes the way of `isolated`.
    """
    if case.extent is Extent.BRIEF:
        return case.layout == TRACKED
    as_isolated = case.level is Atomicity.ATOMIC and Atomicity.ISOLATED in CLAIMS[case.place].levels
    is_fake = case.place.startswith("fakes")
    return is_fake and (case.layout in SAME_STEPS or (as_isolated and case.layout != TRACKED))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each case, or for each catalog."""
    if "case" in metafunc.fixturenames:
        found = cases_of(metafunc.config)
        some = [long(case) if is_long(case) else case for case in found]
        metafunc.parametrize("case", some, ids=str)
    elif "place" in metafunc.fixturenames:
        places = chosen(metafunc.config)
        brief = [place if place.startswith("fakes") else long(place) for place in places]
        metafunc.parametrize("place", brief)


def trials(
    case: Case, points: Sequence[Point], results: Results
) -> list[tuple[tuple[Point, ...], Mending]]:
    """The two ways of mending take turns, so that each meets both sides of steps."""
    each = case.extent is Extent.POINTS
    wanted = [moment for moment in moments(points) if each or results.lack(case, moment)]
    return list(zip(wanted, cycle(TURNS), strict=False))


def test_a_new_run_recovers(case: Case, stage: Stage, results: Results) -> None:
    """Others see what the level promises; the next run builds; what is left goes when it is old."""
    failures = []
    chosen_trials = trials(case, stage.course(case).points, results)
    assert chosen_trials, "nothing is tried that another scenario does not try"
    for moment, mending in chosen_trials:
        trial = Trial(case.scenario, stage.course(case), moment[0], mending)
        failure = None
        try:
            with stage.scene(case) as scene:
                trial.run(scene)
        except Exception:  # noqa: BLE001 (whatever it is, the other points are tried too)
            failure = traceback.format_exc()
        green = failure is None
        results.all.extend(Result.of(case, point, mending, green=green) for point in moment)
        if failure is not None:
            failures.append(f"{moment[0]}, then {mending.value}:\n{failure}")
    assert not failures, "\n".join([f"{len(failures)} crashes", *failures])


def test_every_step_is_reached(place: str, pytestconfig: pytest.Config, stage: Stage) -> None:
    """No step of any run is left out where the catalog has it."""
    own = [case for case in cases_of(pytestconfig) if case.place == place]
    reached = {point.step for case in own for point in stage.course(case).points}
    assert reached == set(Step) - _absent(CLAIMS[place])


def _absent(claim: Claim) -> set[Step]:
    """What such a catalog has no use for."""
    found = set() if claim.rolls_back else OF_VERSIONS
    if claim.conflict_check is not ConflictCheck.CAS or claim.copies:
        found |= {Step.FENCE}  # no call is refused by its base: nothing to fence
    if claim.conflict_check is ConflictCheck.LOCK:
        found |= {Step.TAKE_BACK}  # no clean-up comes between
    if claim.native_format:
        return found | OF_FILES
    return found if claim.tracks else found | PARTITIONS
