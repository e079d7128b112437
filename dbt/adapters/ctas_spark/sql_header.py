"""A model's ``sql_header``: statements of its own, whose settings end with the model."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlparse

from dbt.adapters.ctas_spark.staging import quoting

SET = re.compile(r"SET\s+(`[^`]+`|[\w.:-]+)\s*=", re.IGNORECASE)
UNDEFINED = "<undefined>"
"""What Spark says of a setting that has no value."""


def statements(header: str) -> list[str]:
    """Each by itself: Spark takes one at a time."""
    split = (one.strip().rstrip(";").strip() for one in sqlparse.split(header))
    return [one for one in split if one]


@dataclass(frozen=True, slots=True)
class Settings:
    """What the names that a header sets had before; ``run`` runs a statement and gives its rows.

    Models that run at the same time share the session: what they set meanwhile stays.
    """

    run: Callable[[str], Any]
    values: Mapping[str, str]

    @classmethod
    def before(cls, header: Iterable[str], run: Callable[[str], Any]) -> "Settings":
        """Those of the statements of ``header``, which has not run yet."""
        names = (found[1].strip("`") for one in header if (found := SET.match(one)))
        return cls(run, {name: str(run(f"SET {_quoted(name)}")[0][1]) for name in names})

    def restore(self) -> None:
        """Set them back."""
        for name, value in self.values.items():
            unset = value == UNDEFINED
            self.run(f"RESET {_quoted(name)}" if unset else f"SET {_quoted(name)}={value}")


def _quoted(name: str) -> str:
    return quoting.identifier(name)
