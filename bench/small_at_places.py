"""Small models at one place, by this adapter and by the unchanged dbt-spark, side by side.

    PYTHONPATH=tests/support python bench/small_at_places.py --place hdfs \
        --out bench/results/benchmark-hdfs.json

At ``thrift``, dbt works over a warm Thrift server of Spark's own with default settings; a first
round, which warms it up, counts for nothing. Elsewhere each build starts a session of its own, with
the settings that the place needs and no others; at ``spark-submit``, that starts dbt with them. The
metastore is a server on Derby. Each round builds 100 models of one row into a schema of its own and
builds them again, by one competitor and then by the other, and in the next round the other way
round. It takes 15 minutes.
"""

import argparse
import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from real_places.shared import PLACES, Place
from servers.remote import server_of_files
from servers.standalone import SPARK_SUBMIT
from servers.versions import versions
from side_by_side.cases import OURS, STOCK, Build, Case, Sample
from side_by_side.competitors import SESSION, Competitor
from side_by_side.record import Record
from side_by_side.rounds import Plan, run_rounds
from side_by_side.summary import table
from side_by_side.tools import Dbt

BUILDS = (Build.FIRST, Build.REBUILD)
THRIFT = "thrift"
AT = (THRIFT, *PLACES)
RUN_DBT = Path(__file__).parents[1] / "examples" / "kubernetes" / "run_dbt.py"


@dataclass(frozen=True, slots=True)
class OfItsOwn(Dbt):
    """dbt with a schema for each project: place and metastore outlive them.

    ``starts`` is the command that starts dbt in the environment's place.
    """

    numbers: Iterator[int] = field(default_factory=itertools.count)
    starts: Sequence[str] = ()

    def write(self, case: Case, directory: Path) -> None:
        """Models, a project, a profile."""
        schema = f"bench_{self.output['type']}_{next(self.numbers)}"
        Dbt({**self.output, "schema": schema}).write(case, directory)

    def command(self, build: Build) -> Sequence[str]:
        """As ever, but for what starts it."""
        program, *arguments = Dbt.command(self, build)
        return (*(self.starts or (program,)), *arguments)


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the profiles of the two say; ``is_warm`` if they share what a first round warms.

    ``starts`` is the command that starts both, if dbt's own does not.
    """

    ours: Mapping[str, Any]
    stock: Mapping[str, Any]
    is_warm: bool = False
    starts: Sequence[str] = ()


@contextmanager
def over_thrift(directory: Path) -> Iterator[Outputs]:
    """A server of Spark's, and its metastore."""
    with server_of_files(directory) as (server, metastore):
        there = server.profile(THRIFT)
        yield Outputs({**there, "metastore": metastore.uri}, there, is_warm=True)


@contextmanager
def in_sessions(name: str, directory: Path) -> Iterator[Outputs]:
    """A place, whose settings each session gets: from the profile, or from spark-submit."""
    with PLACES[name](directory) as place:
        conf = place.needed
        if place.submits:
            yield Outputs({}, SESSION, starts=_submit(place, conf))
        else:
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
            _competitor(OURS, {**outputs.ours, "type": "ctas_spark"}, outputs.starts),
            _competitor(STOCK, {**outputs.stock, "type": "spark"}, outputs.starts),
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


def _competitor(name: str, output: Mapping[str, Any], starts: Sequence[str]) -> Competitor:
    return Competitor(name, OfItsOwn(output, starts=starts))


def _submit(place: Place, conf: Mapping[str, str]) -> Sequence[str]:
    """What the profile says elsewhere."""
    given = [f"{name}={value}" for name, value in conf.items()]
    variables = [f"{name}={value}" for name, value in place.variables.items()]
    named = [part for one in given for part in ("--conf", one)]
    program = ("env", *variables, f"PYSPARK_PYTHON={sys.executable}", str(SPARK_SUBMIT))
    return (*program, *named, str(RUN_DBT))


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
