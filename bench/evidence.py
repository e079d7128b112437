"""Write bench/results/README.md from the figures that the long runs have kept next to it.

    python bench/evidence.py

It measures nothing. A unit test compares the page with what this writes.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from markdown_cells import link, listed, minutes, row, rule

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
PAGE = RESULTS / "README.md"

Figures = Mapping[str, Any]
OURS = "dbt-ctas-spark"
FAULTS = ("overtaken", "failed", "mixed", "empty", "partial", "excused")
READ = ("every_kind", "maintenance", "many_reads", "soak")
FILES = "files"
FAKES = "fakes"
HEAD = """# Figures of real runs

`python bench/evidence.py` writes this page from the figures in this directory. The command of each
run is in [bench/README.md](../README.md), its commit in the [last tables](#commits-and-versions).
[suites.md](suites.md) has the last runs of the test suites, and
[docs/benchmarks.md](../../docs/benchmarks.md) how long everything takes.

A read is one query of one session, judged by its rows and its schema:

| column | such a read |
|---|---|
| `overtaken` | was refused by name: the columns changed between the query's analysis and its plan |
| `failed` | got another error |
| `mixed` | has parts of two versions |
| `empty`, `partial` | lacks rows |
| `excused` | mixed two versions during a publication that says that this may happen |

In the runs named `-same` all versions have the same columns, and every publication is `isolated`.

Some figures are older than the design that the product has now. At that time it published some
changes by a rename, and deleted at once what dead runs had left. The counts of what was left, and
the steps of renames and leases (`set_aside`, `delete_lease` and the like), come from there.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(RESULTS))


def page(results: Path) -> str:
    """The whole page of a directory; a command whose figures are not kept has no section."""
    named = {path.stem: json.loads(path.read_text()) for path in sorted(results.glob("*.json"))}
    crashes = {name.partition("-")[2]: f for name, f in named.items() if name.startswith("crashes")}
    lines = [HEAD, *_readers(named)]
    lines.extend(
        _increments({name: f for name, f in named.items() if name.startswith("increments")})
    )
    lines.extend(_nodes({name: f for name, f in named.items() if name.startswith("every_kind")}))
    lines.extend(_upkeep({name: f for name, f in named.items() if name.startswith("maintenance")}))
    if "soak" in named:
        lines.extend(_soak(named["soak"]))
    lines.extend(_kills({name: f for name, f in named.items() if name.startswith("kills")}))
    if "signals" in named:
        lines.extend(_signals(named["signals"]))
    if "places" in named:
        lines.extend(_places(named["places"]))
    lines.extend(_writers({name: f for name, f in named.items() if name.startswith("race")}))
    lines.extend(_ends({name: f for name, f in named.items() if name.startswith("run_end")}))
    return "\n".join([*lines, *(_crashes(crashes) if crashes else ()), *_versions(named)])


def _readers(named: Mapping[str, Figures]) -> Iterator[str]:
    yield "## What readers saw\n"
    yield row("run", "table", "adapter", "commits", "reads", *FAULTS, "minutes")
    yield rule(6 + len(FAULTS))
    for name, figures in named.items():
        if name.startswith(READ):
            adapter = "dbt-spark, unchanged" if name.endswith("stock") else OURS
            faults = (figures.get(fault, 0) for fault in FAULTS)
            run = (link(name), figures.get("table", FILES), adapter, figures.get("commits", ""))
            yield row(*run, figures["reads"], *faults, minutes(figures))
    yield (
        "\nBoth soaks do the same to the same model, which is `materialized: atomic_table` with "
        "this adapter and `table` with dbt-spark. All Iceberg catalogs except the session's were "
        "in one session with Delta.\n"
    )


def _increments(named: Mapping[str, Figures]) -> Iterator[str]:
    if not named:
        return
    yield "## Rows that are added, when columns change\n"
    yield (
        "Each model was built twice, and its columns changed in between, with "
        "`on_schema_change: append_new_columns`. Its rows were compared with those of a model in "
        "plain Python, written from dbt's documentation. The cells say what that model expects "
        "without a contract, and then under one; `!` marks a difference.\n"
    )
    for name, figures in named.items():
        cells = figures["cells"]
        yield f"{link(name)}: {len(cells)} cells. Differences: {figures['differences']}.\n"
        changes = [*dict.fromkeys(cell["change"] for cell in cells)]
        yield row("strategy", *changes)
        yield rule(len(changes) + 1)
        found: dict[tuple[str, str], list[str]] = {}
        for cell in cells:
            said = f"{cell['expected']}{'!' * bool(cell['differs'])}"
            found.setdefault((cell["strategy"], cell["change"]), []).append(said)
        for strategy in dict.fromkeys(cell["strategy"] for cell in cells):
            yield row(strategy, *(", ".join(found[strategy, change]) for change in changes))
        yield ""


def _nodes(named: Mapping[str, Figures]) -> Iterator[str]:
    for name, figures in named.items():
        yield (
            f"## Every kind of node, with {figures['adapter']}\n\n{link(name)}: "
            f"{figures['commits']} builds ({figures['failed builds']} failed) and "
            f"{figures['kills']} kills. After each kill the nodes showed: "
            f"{listed(figures['shown after a kill'])}. Broken: {len(figures['violations'])}.\n"
        )
        yield row(*(nodes := figures["nodes"])[0])
        yield rule(len(nodes[0]))
        yield "\n".join(row(*node.values()) for node in nodes) + "\n"


def _upkeep(named: Mapping[str, Figures]) -> Iterator[str]:
    if named:
        yield "## Maintained while it is rebuilt\n"
        yield (
            "A table was compacted, expired down to 20 snapshots, searched for orphans and tagged "
            "(of Delta: optimized and vacuumed), again and again, while it was rebuilt, and now "
            "and then a build was killed. Statements of maintenance that lost to a rebuild are not "
            "counted. At the end each version that the table had kept was read.\n"
        )
        yield row("run", "publications", "kills", "models failed", "maintained", "kept")
        yield rule(6)
    for name, figures in named.items():
        counts = (figures[what] for what in ("commits", "kills", "models failed"))
        done = sum(figures["maintenance"].values())
        yield row(link(name), *counts, done, figures["kept versions read whole"])
    yield from [""] if named else []


def _soak(figures: Figures) -> Iterator[str]:
    yield "## Half an hour of runs that race and end at random\n"
    yield (
        f"{link('soak')}: {figures['runs']} runs of one model, two at a time "
        f"({listed(figures['fates'])}). What the runs reported about their model: "
        f"{listed(figures['said of the model'])}; `refused` lost to the other run, `nothing` was "
        "ended before it could say anything.\n"
    )
    yield row("versions published", "lost", "left after the last run", "broken promises")
    yield rule(4)
    violations = len(figures["violations"])
    yield row(figures["published"], figures["lost versions"], figures["leaks"], violations)
    yield ""
    yield from (f"- Broken: {violation}" for violation in figures["violations"])
    yield ""


def _kills(named: Mapping[str, Figures]) -> Iterator[str]:
    if named:
        yield "## kill -9 at every step\n"
        yield (
            "Each run was killed with its JVM just before or just after one step. `old` (in a "
            "first build: no table) and `new` are what the next process read.\n"
        )
    for name, figures in named.items():
        left = listed(figures["left"], "0")
        yield (
            f"{link(name)}: {figures['kills']} runs. Broken promises: "
            f"{len(figures['violations'])}. Left after the next run and a vacuum: {left}.\n"
        )
        columns = list(figures["columns"])
        yield row("killed when", *columns)
        yield rule(len(columns) + 1)
        found = {(one["column"], one["killed when"]): one["shown"] for one in figures["each"]}
        for moment in dict.fromkeys(one["killed when"] for one in _longest_first(figures["each"])):
            yield row(moment, *(found.get((column, moment), "") for column in columns))
        yield ""


def _crashes(named: Mapping[str, Figures]) -> Iterator[str]:
    yield "## A crash at every step, simulated\n"
    yield (
        "An exception that skips every abort ends a build, an abort, a recovery, a vacuum or a "
        "rollback before or after each of its steps; then a new run repairs what is left. The "
        "cells say how many crashes were survived of those that were tried, over all levels and "
        "layouts of the catalog:\n"
    )
    catalogs: dict[str, list[Figures]] = {}
    for cell in (cell for figures in named.values() for cell in figures["cells"]):
        of = cell["catalog"]
        catalogs.setdefault(FAKES if of.startswith(FAKES) else of, []).append(cell)
    yield row("step", *catalogs)
    yield rule(len(catalogs) + 1)
    for kind in ("level", "layout"):
        several = ({cell[kind] for cell in cells} for cells in catalogs.values())
        yield row(f"{kind}s", *map(len, several))
    for step in dict.fromkeys(cell["step"] for cells in catalogs.values() for cell in cells):
        yield row(f"`{step}`", *(_survived(cells, step) for cells in catalogs.values()))
    yield row("all", *map(_survived, catalogs.values()))
    yield ""


def _signals(figures: Figures) -> Iterator[str]:
    yield "## Signals at random moments\n"
    yield (
        f"{link('signals')}: {listed(figures['signals'])} to a run of four models. "
        f"Broken promises: {len(figures['violations'])}. Left after the next run and a vacuum: "
        f"{listed(figures['left'], '0')}.\n"
    )
    yield row("runs", *figures["runs"])
    yield rule(1 + len(figures["runs"]))
    yield row(len(figures["each"]), *figures["runs"].values())
    yield ""


def _places(figures: Figures) -> Iterator[str]:
    yield "## Events at real places\n"
    yield (
        "Each event happened to a project with a node of every kind, all tables of files; then a "
        "session of Spark without the product read each node. `old` and `new` are the rows of the "
        "round before the event and of its own; a `*` marks a node that stood at the point at "
        "which the event came. What is left is neither the live version nor the one before it: "
        "after a kill that is what the protocol keeps until it is old, or until the vacuum.\n"
    )
    yield f"{link('places')}: broken promises: {len(figures['violations'])}.\n"
    for place, run in figures["places"].items():
        each = [one for one in figures["each"] if one["place"] == place]
        nodes = [*dict.fromkeys(node for one in each for node in one["nodes"])]
        yield f"### {place}\n\n{minutes(run)} minutes, with {run[OURS]}.\n"
        yield row("event", *nodes, "left", "broken")
        yield rule(len(nodes) + 3)
        for one in each:
            shown = (
                f"{one['nodes'].get(node, '')}{'*' * (node in one['waited'])}" for node in nodes
            )
            yield row(one["event"], *shown, listed(one["left"]), len(one["violations"]))
        yield ""


def _writers(named: Mapping[str, Figures]) -> Iterator[str]:
    yield "## Writers that commit at the same moment\n"
    yield (
        "In each round all writers begin on the same version and commit at the same moment. Each "
        "refusal names the winner's version and its time. `overwritten` counts commits that "
        "another one of the same round replaced without telling anybody. `CREATE OR REPLACE TABLE"
        " AS` is the format's own statement, as the control.\n"
    )
    yield row(
        "run", "table", "writers", "processes", "rounds", "commits", "refusals", "overwritten",
        "broken promises",
    )  # fmt: skip
    yield rule(9)
    for name, figures in named.items():
        control = "plain" in name
        run = (link(name), figures.get("table", FILES), figures.get("writers", OURS))
        counts = (figures[count] for count in ("rivals", "rounds", "commits", "refused"))
        broken = "the control" if control else len(figures["violations"])
        yield row(*run, *counts, figures.get("overwritten", 0), broken)
    yield ""


def _ends(named: Mapping[str, Figures]) -> Iterator[str]:
    if named:
        yield "## The end of a run\n"
        yield (
            "Seconds after the last model, of whole runs on an embedded metastore: dbt's own end, "
            "and what this adapter looks after. Medians, and the least and the most; the file says "
            "how busy the machine was before each.\n"
        )
        yield row("run", "models", "build", "adapter", "rounds", "seconds", "from", "to")
        yield rule(8)
    for name, figures in named.items():
        seconds: dict[tuple[str, str, str], list[float]] = {}
        for one in figures["samples"]:
            of = one["case"].removesuffix(" models"), one["build"], one["competitor"]
            rest = one["seconds"] - one["first_node"] - one["models"]
            seconds.setdefault(of, []).append(rest)
        for of, ends in sorted(seconds.items()):
            shown = (f"{end:.1f}" for end in (median(ends), min(ends), max(ends)))
            yield row(link(name), *of, len(ends), *shown)
    yield from [""] if named else []


def _versions(named: Mapping[str, Figures]) -> Iterator[str]:
    yield "## Commits and versions\n"
    yield row("figures", "finished", "minutes", "cores", OURS)
    yield rule(5)
    around: dict[str, list[str]] = {}
    for name, figures in named.items():
        versions = dict(figures["on"])
        when = str(figures["finished"])[:10]
        yield row(link(name), when, minutes(figures), figures["cores"], versions.pop(OURS))
        others = ", ".join(f"{what} {version}" for what, version in versions.items())
        around.setdefault(others, []).append(name)
    yield ""
    for others, names in around.items():
        yield f"Versions of {', '.join(names)}: {others}.\n"


def _longest_first(each: Iterable[Figures]) -> Sequence[Figures]:
    """The column with the most steps has them all, in their order."""
    columns: dict[str, list[Figures]] = {}
    for one in each:
        columns.setdefault(one["column"], []).append(one)
    ordered = sorted(columns.values(), key=len, reverse=True)
    return [one for column in ordered for one in column]


def _survived(cells: Sequence[Figures], step: str | None = None) -> str:
    own = [cell for cell in cells if step in {cell["step"], None}]
    points = sum(cell["points"] for cell in own)
    return f"{sum(cell['green'] for cell in own)} of {points}" if points else ""


if __name__ == "__main__":
    main()
