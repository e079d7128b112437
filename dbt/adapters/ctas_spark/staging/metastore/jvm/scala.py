"""Scala's values in Spark's JVM: collections, options and case classes, for Scala 2.12 and 2.13."""

from collections.abc import Iterable, Mapping
from typing import Any

FINAL = 0x10
"""Of a field; source: java.lang.reflect.Modifier."""


def some(java: Any, value: Any) -> Any:
    """An Option of this value."""
    return java.scala.Option.apply(value)


def none(java: Any) -> Any:
    """The Option of nothing."""
    return java.scala.Option.empty()


def mapping(java: Any, values: Mapping[str, str]) -> Any:
    """An immutable Map."""
    made = java.java.util.LinkedHashMap()
    for key, value in values.items():
        made.put(key, value)
    return java.org.apache.spark.api.python.PythonUtils.toScalaMap(made)


def sequence(java: Any, values: Iterable[Any]) -> Any:
    """A Seq."""
    made = java.java.util.ArrayList()
    for value in values:
        made.add(value)
    return java.org.apache.spark.api.python.PythonUtils.toSeq(made)


def as_dict(java: Any, values: Any) -> dict[str, str]:
    """A Map's entries."""
    return dict(java.scala.collection.JavaConverters.mapAsJavaMap(values))


def as_tuple(java: Any, values: Any) -> tuple[Any, ...]:
    """A Seq's elements."""
    return tuple(java.scala.collection.JavaConverters.seqAsJavaList(values))


def copied(value: Any, **fields: Any) -> Any:
    """A copy of a case class with other fields: Spark's versions differ in how many there are."""
    names = _field_names(value)
    return value.copy(
        *(
            fields[name] if name in fields else getattr(value, f"copy$default${at}")()
            for at, name in enumerate(names, start=1)
        )
    )


def _field_names(value: Any) -> list[str]:
    """In the constructor's order, which is that of the class file; lazy values are not final."""
    declared = value.getClass().getDeclaredFields()
    names = [field.getName() for field in declared if field.getModifiers() & FINAL]
    return names[: value.productArity()]
