"""Whole runs of this adapter, the unchanged dbt-spark, PySpark alone and others, side by side.

    PYTHONPATH=tests/support python bench/benchmarks.py small --rounds 3

Each build is a process of its own with default settings, from a cold start in a new directory, on
an embedded metastore. Competitors take turns, in one order and then in the other. A build begins
once the machine is idle, or after ten seconds; how busy it was is kept. Seconds are of the wall
clock, from the start of the process to its end.

The figures are kept after each build; a run that was interrupted goes on with --resume. A
competitor that fails is reported, and left out from then on. dbt-duckdb, SQLMesh and the generator
of TPC-H's tables are installed once, into ~/.cache/dbt-ctas-spark-bench.
"""

import argparse
from pathlib import Path

from servers.versions import versions
from side_by_side.cases import Build, Sample
from side_by_side.competitors import COMPETITORS
from side_by_side.questions import QUESTIONS
from side_by_side.record import Record
from side_by_side.rounds import Plan, run_rounds
from side_by_side.summary import table

RESULTS = Path(__file__).parent / "results"
BUILDS = {build.name.lower(): build for build in Build}


def main() -> None:
    """Measure, keep the raw figures, and print medians and ratios."""
    options = _options()
    question = QUESTIONS[options.question]
    sizes = options.sizes or (question.quick if options.quick else question.sizes)
    wanted = options.competitors or question.competitors
    builds = [BUILDS[name] for name in options.builds or ()] or question.builds
    plan = Plan(
        [question.case(size) for size in sizes],
        [one for one in COMPETITORS if one.name in wanted],
        [build for build in Build if build in builds],
        1 if options.quick else options.rounds,
    )
    out = options.out or _default_out(question.name, quick=options.quick)
    record = Record(out, question.name, plan, versions())
    if options.resume:
        record.resume([build.value for build in plan.builds])

    def keep(sample: Sample) -> None:
        print(said(sample), flush=True)
        record.keep(sample)

    run_rounds(plan, record.samples, keep)
    print(table(record.samples))


def said(sample: Sample) -> str:
    """A line for a build."""
    what = f"{sample.round + 1} {sample.case}, {sample.competitor}, {sample.build}"
    others = f" ({sample.busy:.0%} busy before)" if sample.busy else ""
    return f"{what}: {sample.failed or f'{sample.seconds:.1f} s'}{others}"


def _default_out(question: str, *, quick: bool) -> Path:
    return (
        Path(f"benchmark-{question}.quick.json")
        if quick
        else RESULTS / f"benchmark-{question}.json"
    )


def _options() -> argparse.Namespace:
    costs = "\n".join(
        f"  {one.name:9} {one.asks}\n            minutes a round: {one.minutes}"
        for one in QUESTIONS.values()
    )
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"questions:\n{costs}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("question", choices=QUESTIONS, metavar="QUESTION")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, one round, a file in this directory"
    )
    parser.add_argument("--sizes", type=float, nargs="+", help="instead of the question's own")
    parser.add_argument(
        "--competitors",
        nargs="+",
        choices=[one.name for one in COMPETITORS],
        metavar="NAME",
        help=f"of: {'; '.join(one.name for one in COMPETITORS)}",
    )
    parser.add_argument("--builds", nargs="+", choices=BUILDS)
    parser.add_argument("--resume", action="store_true", help="go on with the file of --out")
    parser.add_argument("--out", type=Path, help="bench/results/benchmark-QUESTION.json by default")
    return parser.parse_args()


if __name__ == "__main__":
    main()
