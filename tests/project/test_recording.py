"""The recording of ./demo that README shows."""

import re
from pathlib import Path

from record_demo import LINE, ROWS

RECORDING = Path(__file__).parents[2] / "docs" / "demo.svg"
MOST_BYTES = 150_000
PLACES = re.compile(r"(?<![\w.])/(?:home|root|tmp|usr|work|Users|opt|var|srv|mnt)\b")


def test_the_recording_is_small_and_names_no_place_of_the_machine_it_was_made_on() -> None:
    """README loads it, and a reader learns from it nothing about where it was made."""
    assert RECORDING.stat().st_size < MOST_BYTES
    assert PLACES.findall(RECORDING.read_text()) == []


def test_the_comparison_comes_within_ten_seconds() -> None:
    """Nobody waits longer for the table that has both adapters side by side."""
    text = RECORDING.read_text()
    lines = re.findall(r"<text[^>]*>(.*?)</text>", text)
    number = next(n for n, line in enumerate(lines, 1) if "dbt-ctas-spark  " in line)
    height = (number - ROWS) * LINE
    (share,) = re.findall(rf"([\d.]+)%{{transform:translateY\(-{height}px\)}}", text)
    (seconds,) = re.findall(r"animation:lines ([\d.]+)s", text)
    assert float(share) / 100 * float(seconds) < 10


def test_the_recording_is_of_the_whole_demo() -> None:
    """It goes from the command to the last heading."""
    text = RECORDING.read_text()
    assert "$ ./demo<" in text
    assert "] == Done in" in text
