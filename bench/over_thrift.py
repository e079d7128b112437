"""Small models over one warm Thrift server, by this adapter and by the unchanged dbt-spark.

    PYTHONPATH=tests/support python bench/over_thrift.py --out bench/results/benchmark-thrift.json

The server is Spark's own, with default settings, on a metastore server on Derby. Each round builds
100 models of one row into a schema of its own and builds them again, by one competitor and then by
the other, and in the next round the other way round. A first round, which warms the server up,
counts for nothing. It takes 15 minutes.
"""

import argparse
import itertools
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from servers.remote import server_of_files
from servers.versions import versions
from side_by_side.cases import OURS, STOCK, Build, Case, Sample
from side_by_side.competitors import Competitor
from side_by_side.record import Record
from side_by_side.rounds import Plan, run_rounds
from side_by_side.summary import table
from side_by_side.tools import Dbt

BUILDS = (Build.FIRST, Build.REBUILD)


@dataclass(frozen=True, slots=True)
class OnServer(Dbt):
    """dbt with a schema for each project: the server outlives them."""

    numbers: Iterator[int] = field(default_factory=itertools.count)

    def write(self, case: Case, directory: Path) -> None:
        """Models, a project, a profile."""
        schema = f"bench_{self.output['type']}_{next(self.numbers)}"
        Dbt({**self.output, "schema": schema}).write(case, directory)


def main() -> None:
    """Measure, keep the raw figures, and print medians and ratios."""
    options = _options()
    case = Case(f"{options.models} models", models=options.models)
    with tempfile.TemporaryDirectory() as directory, server_of_files(Path(directory)) as places:
        server, metastore = places
        on_server = server.profile("thrift")
        ours = {"type": "ctas_spark", **on_server, "metastore": metastore.uri}
        competitors = (
            Competitor(OURS, OnServer(ours)),
            Competitor(STOCK, OnServer({"type": "spark", **on_server})),
        )
        run_rounds(Plan([case], competitors, BUILDS, 1), [], _said)
        plan = Plan([case], competitors, BUILDS, options.rounds)
        record = Record(options.out, "thrift", plan, versions())

        def keep(sample: Sample) -> None:
            _said(sample)
            record.keep(sample)

        run_rounds(plan, [], keep)
    print(table(record.samples))


def _said(sample: Sample) -> None:
    print(f"{sample.competitor}, {sample.build}: {sample.failed or sample.seconds}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out = options.out.absolute()
    return options


if __name__ == "__main__":
    main()
