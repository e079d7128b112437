"""The session that a Python model is given, where its own statements count as those of its node."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from typing import Any

Note = Callable[[str], None]


@contextmanager
def in_session(spark: Any, around: Callable[[str], AbstractContextManager[None]]) -> Iterator[Any]:
    """A session of this process, with ``around`` about each statement that it is given."""

    def sql(sqlQuery: str, *others: Any, **named: Any) -> Any:  # noqa: N803 (PySpark's)
        with around(sqlQuery):
            return spark.sql(sqlQuery, *others, **named)

    session = copy(spark)
    session.sql = sql
    yield session


@contextmanager
def over_connect(spark: Any, before: Note) -> Iterator[Any]:
    """The same session of a Spark Connect server; ``before`` is called with each statement.

    A setting that is given to ``conf``, or to a builder that finds the session, is a ``SET``, but
    for the value that it has. Whatever else the server is asked is an empty statement. So a model
    that sets something first has done nothing yet. What is asked after the model has returned is
    not its own.
    """
    is_open = True

    def note(statement: str) -> None:
        if is_open:
            before(statement)

    conf = _noting_conf(type(spark.conf), note)
    session: Any = object.__new__(_noting_session(type(spark), conf, note))
    session.__dict__.update(spark.__dict__)
    try:
        yield session
    finally:
        is_open = False


def _noting_session(kind: type[Any], conf: type[Any], note: Note) -> type[Any]:
    class NotingSession(kind):  # type: ignore[misc]
        def __del__(self) -> None:
            """The client is closed with the session that this one is made from."""

        @property
        def _client(self) -> Any:
            note("")
            return self.__dict__["_client"]

        @property
        def is_stopped(self) -> bool:
            return bool(self.__dict__["_client"].is_closed)

        @property
        def conf(self) -> Any:
            return conf(self.__dict__["_client"])

        def sql(self, sqlQuery: str, *others: Any, **named: Any) -> Any:  # noqa: N803 (PySpark's)
            note(sqlQuery)
            return super().sql(sqlQuery, *others, **named)

    return NotingSession


def _noting_conf(kind: type[Any], note: Note) -> type[Any]:
    class NotingConf(kind):  # type: ignore[misc]
        def get(self, key: str, *default: Any, **named: Any) -> Any:
            note("")
            return super().get(key, *default, **named)

        def set(self, key: str, value: Any) -> None:
            _note_change(super().get, note, key, value)
            super().set(key, value)

        def unset(self, key: str) -> None:
            note(f"RESET `{key}`")
            super().unset(key)

        def _set_all(self, configs: Mapping[str, Any], silent: bool) -> None:  # noqa: FBT001 (PySpark's)
            for key, value in configs.items():
                _note_change(super().get, note, key, value)
            super()._set_all(configs, silent)

    return NotingConf


def _note_change(get: Callable[..., str | None], note: Note, key: str, value: Any) -> None:
    """A node that gives a setting the value it has, runs beside others; they see that value."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if get(key, None) == text:
        note("")  # it may have been the value of a node that ran
        if get(key, None) == text:
            return
    note(f"SET `{key}` = {text}")
