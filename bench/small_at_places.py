"""Small models at one place, by this adapter and by the unchanged dbt-spark, side by side.

    PYTHONPATH=tests/support python bench/small_at_places.py --place hdfs \
        --out bench/results/benchmark-hdfs.json

At ``thrift``, dbt works over a warm Thrift server of Spark's own with default settings; a first
round, which warms it up, counts for nothing. Elsewhere each build starts a session of its own, with
the settings that the place needs and no others. The metastore is a server on Derby. Each round
builds 100 models of one row into a schema of its own and builds them again, by one competitor and
then by the other, and in the next round the other way round. It takes 15 minutes.
"""

import argparse
import itertools
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from real_places.shared import PLACES
from servers.remote import server_of_files
from servers.versions import versions
from side_by_side.cases import OURS, STOCK, Build, Case, Sample
from side_by_side.competitors import SESSION, Competitor
from side_by_side.record import Record
from side_by_side.rounds import Plan, run_rounds
from side_by_side.summary import table
from side_by_side.tools import Dbt

BUILDS = (Build.FIRST, Build.REBUILD)
THRIFT = "thrift"
AT = (THRIFT, *(name for name in PLACES if name != "spark-submit"))


@dataclass(frozen=True, slots=True)
class OfItsOwn(Dbt):
    """dbt with a schema for each project: place and metastore outlive them."""

    numbers: Iterator[int] = field(default_factory=itertools.count)

    def write(self, case: Case, directory: Path) -> None:
        """Models, a project, a profile."""
        schema = f"bench_{self.output['type']}_{next(self.numbers)}"
        Dbt({**self.output, "schema": schema}).write(case, directory)


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the profiles of the two say; ``is_warm`` if they share what a first round warms."""

    ours: Mapping[str, Any]
    stock: Mapping[str, Any]
    is_warm: bool = False


@contextmanager
def over_thrift(directory: Path) -> Iterator[Outputs]:
    """A server of Spark's, and its metastore."""
    with server_of_files(directory) as (server, metastore):
        there = server.profile(THRIFT)
        yield Outputs({**there, "metastore": metastore.uri}, there, is_warm=True)


@contextmanager
def in_sessions(name: str, directory: Path) -> Iterator[Outputs]:
    """A place, whose settings each session gets."""
    with PLACES[name](directory) as place:
        conf = place.needed
        yield Outputs({"spark_conf": conf}, {**SESSION, "server_side_parameters": conf})


def main() -> None:
    """Measure, keep the raw figures, and print medians and ratios."""
    options = _options()
    case = Case(f"{options.models} models", models=options.models)
    with (
        tempfile.TemporaryDirectory() as directory,
        _opened(options.place)(Path(directory)) as outputs,
    ):
        competitors = (
            Competitor(OURS, OfItsOwn({**outputs.ours, "type": "ctas_spark"})),
            Competitor(STOCK, OfItsOwn({**outputs.stock, "type": "spark"})),
        )
        plan = Plan([case], competitors, BUILDS, options.rounds)
        if outputs.is_warm:
            run_rounds(replace(plan, rounds=1), [], _said)
        record = Record(options.out, options.place, plan, versions())

        def keep(sample: Sample) -> None:
            _said(sample)
            record.keep(sample)

        run_rounds(plan, [], keep)
    print(table(record.samples))


def _opened(place: str) -> Callable[[Path], AbstractContextManager[Outputs]]:
    return over_thrift if place == THRIFT else partial(in_sessions, place)


def _said(sample: Sample) -> None:
    print(f"{sample.competitor}, {sample.build}: {sample.failed or sample.seconds}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--place", choices=AT, required=True)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out = options.out.absolute()
    return options


if __name__ == "__main__":
    main()
