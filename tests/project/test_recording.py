"""The recording of ./demo that README shows."""

import re
from html import unescape
from pathlib import Path

from ctas_spark.publish.messages import NOTHING_PUBLISHED
from dbt.adapters.ctas_spark.dbt_edge import run_stopped
from record_demo import COLUMNS, LINE, ROWS

RECORDING = Path(__file__).parents[2] / "docs" / "demo.svg"
MOST_BYTES = 150_000
PLACES = re.compile(r"(?<![\w.])/(?:home|root|tmp|usr|work|Users|opt|var|srv|mnt)\b")


def test_the_recording_is_small_and_names_no_place_of_the_machine_it_was_made_on() -> None:
    """README loads it, and a reader learns from it nothing about where it was made."""
    assert RECORDING.stat().st_size < MOST_BYTES
    assert PLACES.findall(RECORDING.read_text()) == []


def shown() -> list[str]:
    """The lines of the terminal."""
    return [unescape(one) for one in re.findall(r"<text[^>]*>(.*?)</text>", RECORDING.read_text())]


def test_the_comparison_comes_within_ten_seconds() -> None:
    """Nobody waits longer for the table that has both adapters side by side."""
    text = RECORDING.read_text()
    number = next(n for n, line in enumerate(shown(), 1) if "dbt-ctas-spark  " in line)
    height = (number - ROWS) * LINE
    (share,) = re.findall(rf"([\d.]+)%{{transform:translateY\(-{height}px\)}}", text)
    (seconds,) = re.findall(r"animation:lines ([\d.]+)s", text)
    assert float(share) / 100 * float(seconds) < 10


def test_the_recording_is_of_the_whole_demo() -> None:
    """It goes from the command to the last heading."""
    text = RECORDING.read_text()
    assert "$ ./demo<" in text
    assert "] == Done in" in text


def test_the_recording_has_the_words_of_today() -> None:
    """What it shows of a model that fails, and of a run that is stopped, is what dbt prints now."""
    said = " ".join(line.strip() for line in shown())
    stopped = [line.strip() for line in run_stopped().msg.splitlines()]
    for words in ("outcome: nothing was published; version", NOTHING_PUBLISHED, *stopped):
        assert words in said


def test_no_line_of_the_recording_is_cut() -> None:
    """A row of a table ends with its border."""
    assert max(map(len, shown())) <= COLUMNS
    assert all(line.endswith("|") for line in shown() if line.lstrip().startswith("|"))
