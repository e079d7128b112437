"""Where a run is killed, and what the level promises of the table then."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from ctas_spark.steps import Step
from faults.numbered import ROWS, TABLE

PARTITIONS_OF = (Step.DROP_PARTITIONS, Step.ADD_PARTITIONS, Step.TRACK_PARTITIONS)
DELETION = (Step.TAKE_RECORD, Step.DELETE_FILES, Step.DELETE_RECORD)
EVERY_BUILD = (
    Step.BEGIN,
    Step.STAGE,
    Step.VERIFY,
    Step.COMMIT,
    Step.PUBLISH,
    Step.SETTLE,
    Step.ABORT,
    Step.CLEAN_UP,
)
UNPUBLISHED = (Step.BEGIN, Step.STAGE, Step.VERIFY, Step.ABORT)
PUBLISHING = (Step.COMMIT, Step.PUBLISH)
ENTERED, LEFT = SIDES = ("entered", "left")
SETTINGS = "versions_to_keep=1, grace_period=0"


class Layout(str, Enum):
    """How the model's table is laid out."""

    UNPARTITIONED = "unpartitioned"
    TRACKED = "tracked partitions"

    def model(
        self, number: int, place: Mapping[str, str], *, fails: bool = False
    ) -> Mapping[str, str]:
        """The model's file for a number; each version shares two partitions with the next.

        It holds the number itself: with another variable, dbt would parse every macro again.
        ``place`` is what its config says of catalog and format.
        """
        failure = " where raise_error('as it was asked to') is null" if fails else ""
        columns = f"{number} as v{self._key(number)}"
        query = f"select {columns} from range({ROWS}){failure}"
        said = "".join(f", {key}='{value}'" for key, value in place.items())
        config = f"{{{{ config(materialized='atomic_table', {SETTINGS}{self._config}{said}) }}}}"
        return {f"models/{TABLE}.sql": f"{config} {query}"}

    def partitions(self, number: int) -> tuple[str, ...] | None:
        """What SHOW PARTITIONS has of a version; None where it is refused."""
        if self is Layout.UNPARTITIONED:
            return None
        return tuple(sorted(f"k={number + at}" for at in range(ROWS)))

    def _key(self, number: int) -> str:
        return "" if self is Layout.UNPARTITIONED else f", id + {number} as k"

    @property
    def _config(self) -> str:
        if self is Layout.UNPARTITIONED:
            return ""
        return ", partition_by='k', partition_metadata='tracked', atomicity='atomic'"


class Build(str, Enum):
    """Whether there is a table before the killed run."""

    FIRST = "first build"
    REBUILD = "rebuild"


@dataclass(frozen=True, slots=True)
class Point:
    """One side of a step."""

    step: Step
    side: str

    @property
    def fails(self) -> bool:
        """True if a run gets here only when its job fails."""
        return self.step is Step.ABORT

    @property
    def is_published(self) -> bool:
        """True if the killed run's version is the table from here on."""
        before = self.step in PUBLISHING and self.side == ENTERED
        return self.step not in UNPUBLISHED and not before

    @property
    def is_staged(self) -> bool:
        """True if the killed run's version is there, and no table shows it."""
        return self.step is Step.VERIFY or self == Point(Step.COMMIT, ENTERED)

    @property
    def is_pending(self) -> bool:
        """True if tracked partitions of the killed run's version are still to be tracked."""
        published = self.step in PUBLISHING and self.side == LEFT
        tracks = self == Point(Step.TRACK_PARTITIONS, ENTERED)
        return published or tracks or self.step in PARTITIONS_OF[:2]

    def __str__(self) -> str:
        return f"{self.step.value} {self.side}"


def points(layout: Layout, build: Build, *, native: bool = False) -> Iterator[Point]:
    """Every point that such a run reaches; a rebuild deletes the version before the last one.

    A format that commits by itself keeps its versions: ``native`` runs delete none.
    """
    tracked = PARTITIONS_OF if layout is Layout.TRACKED else ()
    deletes = DELETION if build is Build.REBUILD and not native else ()
    for step in Step:
        if step in (*EVERY_BUILD, *tracked, *deletes):
            yield from (Point(step, side) for side in SIDES)
