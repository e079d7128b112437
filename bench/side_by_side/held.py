"""What holds the targets of small models that are not reached, as far as their figures show."""

from collections.abc import Iterator, Mapping
from typing import Any

from side_by_side.cases import FLOOR, STOCK, samples_of
from side_by_side.summary import Group, groups, ratio
from side_by_side.targets import OF_STOCK, OF_STOCK_AT_A_PLACE, tenths_of_largest


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


def what_holds_at(place: str, figures: Mapping[str, Any]) -> Iterator[str]:
    """A line for each of our builds at a place that misses its target, next to dbt-spark's."""
    samples = samples_of(figures)
    found = groups(samples)
    for one in found:
        limit, of_stock = OF_STOCK_AT_A_PLACE.get((one.competitor, one.build)), ratio(found, one)
        if not limit or not of_stock or round(of_stock, 2) <= limit:
            continue
        same = (one.case, one.build)
        stock = next(g for g in found if (g.case, g.build) == same and g.competitor == STOCK)
        tenths = tenths_of_largest([each for each in samples if (each.case, each.build) == same])
        first = {name: own[0] * int(one.case.split()[0]) / 10 for name, own in tenths.items()}
        yield (
            f"- {place}, {one.case}, {one.build}: the first model begins after "
            f"{one.first_node:.1f} s (dbt-spark: {stock.first_node:.1f}), the models take "
            f"{one.models:.1f} s ({stock.models:.1f}), and the first tenth of them "
            f"{first[one.competitor]:.1f} s ({first[STOCK]:.1f})."
        )


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
