"""Run ./demo and draw what it said, line by line, as an animated SVG.

    .venv/bin/python bin/record_demo.py docs/demo.svg
    .venv/bin/python bin/record_demo.py docs/demo.svg --from .build/demo.cast

The first also keeps the recording in .build/demo.cast (asciicast, version 2), from which the second
draws again. What comes before the story's first heading, the installation, is left out. Waits
are shortened: the real seconds are in the headings.
"""

import argparse
import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any

ROOT = Path(__file__).parents[1]
CAST = ROOT / ".build" / "demo.cast"
FIRST_HEADING = "[   0s] == Every flight"

COLUMNS, ROWS = 140, 34
CHARACTER, LINE, MARGIN = 7.3, 17, 14
HURRIED, PATIENT, LAST = (0.08, 0.45), (0.15, 1.2), 8.0
"""The shortest and the longest wait before a line: until the adapters are compared, and then."""
COMPARED = "] == Side by side"
UNBROKEN: Mapping[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
STYLES = {
    "heading": "fill:#8be9fd;font-weight:bold",
    "command": "fill:#f1fa8c",
    "good": "fill:#50fa7b",
    "bad": "fill:#ff8585",
}
# Where nothing moves, the end is shown.
PAGE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>./demo, recorded: readers of a table while dbt-spark and dbt-ctas-spark rebuild it</title>
<style>
text{{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;\
fill:#e6e6e6;white-space:pre}}
{styles}
.lines{{animation:lines {seconds:.1f}s steps(1,end) infinite}}
.ahead{{animation:ahead {seconds:.1f}s steps(1,end) infinite}}
@keyframes lines{{{lines}}}
@keyframes ahead{{{ahead}}}
@media (prefers-reduced-motion){{.lines,.ahead{{animation:none}}}}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#1d1f27" stroke="#555"/>
<svg x="{margin}" y="{margin}" width="{inner}" height="{rows}">
<g class="lines" transform="translate(0 {end})">
{texts}
</g>
<rect class="ahead" transform="translate(0 {rows})" width="{inner}" height="{rows}" fill="#1d1f27"/>
</svg>
</svg>
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the terminal, and when it is shown."""

    at: float
    text: str


def main() -> None:
    """Record, unless there is a recording; draw."""
    options = _options()
    if not options.recording:
        _record(CAST)
    lines = _timed(list(_wrapped(_story(options.recording or CAST))))
    options.svg.write_text(_drawn(lines), encoding="utf-8")
    print(f"{options.svg}: {len(lines)} lines, {options.svg.stat().st_size:,} bytes")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("svg", type=Path)
    parser.add_argument("--from", dest="recording", type=Path)
    return parser.parse_args()


def _record(cast: Path) -> None:
    began, said = time.monotonic(), []
    with subprocess.Popen([ROOT / "demo"], stdout=subprocess.PIPE, text=True) as demo:  # noqa: S603
        for line in demo.stdout or ():
            print(line, end="", flush=True)
            said.append([round(time.monotonic() - began, 2), "o", line.replace("\n", "\r\n")])
    if demo.returncode:
        raise SystemExit("./demo failed")
    header = {"version": 2, "width": COLUMNS, "height": ROWS}
    cast.write_text("".join(json.dumps(entry) + "\n" for entry in [header, *said]))


def _story(cast: Path) -> Iterator[Line]:
    """What was said from the story's first heading on."""
    begun = False
    for entry in cast.read_text().splitlines()[1:]:
        at, _, text = json.loads(entry)
        begun = begun or text.startswith(FIRST_HEADING)
        if begun:
            yield Line(at, text.rstrip())


def _wrapped(lines: Iterator[Line]) -> Iterator[Line]:
    """Lines of this width, broken between words; a row of a table is cut."""
    for line in lines:
        if line.text.lstrip().startswith("|"):
            yield Line(line.at, line.text[:COLUMNS])
            continue
        indent = line.text[: len(line.text) - len(line.text.lstrip())]
        for text in wrap(line.text, COLUMNS, subsequent_indent=indent, **UNBROKEN) or [""]:
            yield Line(line.at, text)


def _timed(lines: Sequence[Line]) -> list[Line]:
    """The same lines with waits that a viewer has the patience for, and time to read them."""
    timed, now, (shortest, longest) = [Line(0.0, "$ ./demo")], 0.0, HURRIED
    for before, line in zip([lines[0], *lines], lines, strict=False):
        now += min(max(line.at - before.at, shortest), longest)
        if COMPARED in before.text:
            shortest, longest = PATIENT
        timed.append(Line(now, line.text))
    return timed


def _drawn(lines: Sequence[Line]) -> str:
    seconds = lines[-1].at + LAST
    width, rows = round(COLUMNS * CHARACTER) + 2 * MARGIN, ROWS * LINE
    shares = [100 * line.at / seconds for line in lines]
    shown = [min(number, ROWS) * LINE for number in range(1, len(lines) + 1)]
    above = [-max(0, number - ROWS) * LINE for number in range(1, len(lines) + 1)]
    return PAGE.format(
        width=width,
        height=rows + 2 * MARGIN,
        inner=width - 2 * MARGIN,
        margin=MARGIN,
        rows=rows,
        seconds=seconds,
        styles="\n".join(f".{name}{{{style}}}" for name, style in STYLES.items()),
        end=above[-1],
        lines=_keyframes(shares, above),
        ahead=_keyframes(shares, shown),
        texts="\n".join(_text(number, line.text) for number, line in enumerate(lines)),
    )


def _keyframes(shares: Sequence[float], heights: Sequence[int]) -> str:
    """Each height from its share of the time on."""
    frames = dict[int, float]()
    for share, height in zip(shares, heights, strict=True):
        frames.setdefault(height, share)
    ends = f"100%{{transform:translateY({heights[-1]}px)}}"
    return "".join(f"{at:.2f}%{{transform:translateY({y}px)}}" for y, at in frames.items()) + ends


def _text(number: int, text: str) -> str:
    style = _style(text)
    named = f' class="{style}"' if style else ""
    return f'<text y="{number * LINE + 12}"{named} xml:space="preserve">{escape(text)}</text>'


def _style(text: str) -> str:
    said = text.strip()
    if "] == " in text:
        return "heading"
    if said.startswith(("$ ", "^C")):
        return "command"
    if said.startswith(("0 of ", "The dashboard gets what it got before")):
        return "good"
    return "bad" if said.startswith("The first:") or " reads failed" in said else ""


if __name__ == "__main__":
    main()
