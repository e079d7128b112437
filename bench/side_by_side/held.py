"""What holds the targets of small models that are not reached, as far as their figures show."""

from collections.abc import Iterator, Mapping
from typing import Any

from side_by_side.cases import FLOOR, STOCK, samples_of
from side_by_side.summary import Group, groups, ratio
from side_by_side.targets import OF_STOCK


def what_holds(figures: Mapping[str, Any]) -> Iterator[str]:
    """A line for the fastest of our builds that miss their targets."""
    found = groups(samples_of(figures))
    for case, build in dict.fromkeys((one.case, one.build) for one in found):
        missed = [
            (of_stock, one)
            for one in found
            if (one.case, one.build) == (case, build)
            if (limit := OF_STOCK.get((one.competitor, one.build)))
            if (of_stock := ratio(found, one)) and of_stock > limit
        ]
        if missed:
            _, fastest = min(missed, key=lambda pair: pair[0])
            yield f"- {_parts(fastest)}{_of_floor(found, fastest)}"


def _parts(one: Group) -> str:
    around = "the rest (the start of Python, dbt and Spark, and the end of the run)"
    if one.median is None or one.models is None:
        return f"{one.case}, {one.build}."
    return (
        f"{one.case}, {one.build}: of the {one.median:.1f} s of `{one.competitor}`, "
        f"the models take {one.models:.1f} s, and {around} {one.median - one.models:.1f} s."
    )


def _of_floor(found: list[Group], one: Group) -> str:
    floor = next(
        (g for g in found if (g.case, g.build, g.competitor) == (one.case, one.build, FLOOR)), None
    )
    of_stock = ratio(found, floor) if floor else None
    return f" PySpark without dbt takes {of_stock:.2f} of {STOCK}'s time." if of_stock else ""
