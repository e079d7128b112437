"""A model's ``sql_header``: statements of its own, whose settings end with the model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlparse

from dbt.adapters.ctas_spark.staging import quoting


def statements(header: str) -> list[str]:
    """Each by itself: Spark takes one at a time."""
    split = (one.strip().rstrip(";").strip() for one in sqlparse.split(header))
    return [one for one in split if one]


@dataclass(frozen=True, slots=True)
class Settings:
    """What was set in the session at one moment; ``run`` runs a statement and gives its rows."""

    run: Callable[[str], Any]
    values: Mapping[str, str]

    @classmethod
    def now(cls, run: Callable[[str], Any]) -> "Settings":
        return cls(run, {str(row[0]): str(row[1]) for row in run("SET")})

    def restore(self) -> None:
        """Set back what differs by now."""
        now = Settings.now(self.run).values
        for key in now.keys() - self.values.keys():
            self.run(f"RESET {quoting.identifier(key)}")
        for key, value in self.values.items():
            if now.get(key) != value:
                self.run(f"SET {quoting.identifier(key)}={value}")
