"""What a process sees of a table whose last run was killed, whatever its format."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

from pyspark.errors import AnalysisException

from faults.numbered import TABLE, Numbered
from faults.surplus import Surplus
from functional.dbt_project import Project

REFUSED = "PARTITION"


@dataclass(frozen=True, slots=True)
class Sight:
    """What readers get, through Spark and past it; no partitions are listed where it is refused."""

    number: int | None
    read_by_spark: tuple[int, ...] = ()
    partitions: tuple[str, ...] | None = None


class Eyes(Protocol):
    """A look at one project's table, past the product."""

    @property
    def project(self) -> Project:
        """The project that was killed, to be run again."""

    def sight(self) -> Sight:
        """What readers get now."""

    def kept(self) -> AbstractSet[str]:
        """The versions that may be there: that which is live."""

    def surplus(self, kept: AbstractSet[str]) -> Surplus:
        """What there is besides these versions."""

    def locks(self) -> int:
        """How many locks are held."""


@dataclass(frozen=True, slots=True)
class EyesOnFiles:
    """A table of files, in a Hive metastore."""

    numbered: Numbered

    @property
    def project(self) -> Project:
        return self.numbered.project

    def sight(self) -> Sight:
        if TABLE not in self.numbered.outside.tables():
            return Sight(None)
        rows = self.project.rows(f"select distinct v from {{schema}}.{TABLE}")
        return Sight(self.numbered.number(), tuple(row.v for row in rows), self._listed())

    def kept(self) -> AbstractSet[str]:
        return {self.numbered.version()}

    def surplus(self, kept: AbstractSet[str]) -> Surplus:
        return self.numbered.surplus(kept)

    def locks(self) -> int:
        return len(self.numbered.outside.locks())

    def _listed(self) -> tuple[str, ...] | None:
        try:
            rows = self.project.rows(f"show partitions {{schema}}.{TABLE}")
        except AnalysisException as error:
            if REFUSED not in str(error):
                raise
            return None
        return tuple(sorted(row.partition for row in rows))
