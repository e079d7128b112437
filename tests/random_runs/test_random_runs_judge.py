"""The judge of random runs finds each broken promise, and nothing where all are kept."""

from dataclasses import replace
from pathlib import Path

import pytest

from random_runs.attempt import CANCELED, REFUSED, UNKNOWN, Ended, Fate, Told, published
from random_runs.judge import figures, judged
from random_runs.life import Life
from readers.journal import Read
from readers.project import NAME

FIRST, SECOND = "20260101t000000x00000001", "20260101t000000x00000002"


def run(number: int, log: str, met: Fate = Fate.LIVES, version: str | None = None) -> Ended:
    """A run that began at its number and ended a second later."""
    times = float(number), number + 1.0
    return Ended(number, met, *times, log, outlived=False, version=version)


def read(version: int | None, started: float, fault: str | None = None) -> Read:
    """A read of half a second."""
    return Read(started, started + 0.5, version, fault, "reader-1", "fresh")


GOOD = Life(
    reads=(read(1, 1.2), read(1, 2.1), read(2, 2.8), read(2, 3.5)),
    runs=(run(1, "", version=FIRST), run(2, "", version=SECOND), run(3, REFUSED)),
    published=(FIRST, SECOND),
    gaps=0,
    left=(),
)


def test_a_life_that_keeps_every_promise_has_no_violation() -> None:
    """A refused run and a killed one are none either."""
    killed = run(4, "", Fate.KILLED)
    assert judged(replace(GOOD, runs=(*GOOD.runs, killed))) == []


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (replace(GOOD, reads=(read(None, 1.2, "failed: gone"),)), "fault, failed: gone"),
        (replace(GOOD, published=(FIRST,)), "which is lost"),
        (replace(GOOD, reads=(*GOOD.reads, read(3, 4.5))), "said refused, and its version was"),
        (replace(GOOD, reads=(*GOOD.reads, read(1, 4.5))), "Version 1 was read again"),
        (replace(GOOD, reads=(read(1, 3.5),)), "Version 1 was read after run 2 had ended"),
        (replace(GOOD, gaps=1), "lineage began anew"),
        (replace(GOOD, left=("t__x",)), "t__x is left"),
        (replace(GOOD, runs=(replace(GOOD.runs[0], outlived=True),)), "left a process behind"),
        (replace(GOOD, runs=(*GOOD.runs, run(4, "", Fate.HUNG))), "Run 4 hung"),
    ],
)
def test_a_broken_promise_is_said(broken: Life, said: str) -> None:
    """Each in a sentence of its own."""
    assert any(said in sentence for sentence in judged(broken))


def test_a_canceled_run_whose_version_is_read_is_a_violation() -> None:
    """Whatever else it said: nothing reported as cancelled may be live."""
    both = run(2, CANCELED, version=SECOND)
    life = replace(GOOD, runs=(GOOD.runs[0], both))
    assert any("said canceled, and its version was read" in sentence for sentence in judged(life))


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (f"... {UNKNOWN} ...", Told.UNKNOWN),
        (f"... {REFUSED} ...", Told.REFUSED),
        (CANCELED, Told.CANCELED),
        ("Running with dbt", Told.NOTHING),
    ],
)
def test_a_run_told_what_its_log_says(log: str, told: Told) -> None:
    """The strongest word counts, and a version counts more than any."""
    assert run(1, log).told is told
    assert run(1, log, version=FIRST).told is Told.PUBLISHED


def test_a_version_is_read_from_the_log_file(tmp_path: Path) -> None:
    """A run that was killed has written no run_results.json, and its log all the same."""
    file = tmp_path / "dbt.log"
    assert published(file) is None
    file.write_text(f"12:00:00 [debug] s.{NAME}: published as version {FIRST}\n")
    assert published(file) == FIRST


def test_figures_count_what_happened() -> None:
    """Reads by fault, runs by fate and by word, what is lost, what leaks."""
    life = replace(GOOD, published=(FIRST,), left=("t__x",))
    counted = figures(life)
    assert (counted["reads"], counted["failed"], counted["lost versions"]) == (4, 0, 1)
    assert counted["fates"] == {"left alone": 3}
    assert counted["leaks"] == 1
