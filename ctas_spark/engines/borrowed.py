"""A program's session and thread, in which it calls dbt: it gets back what it had set there."""
# ruff: noqa: SLF001 (PySpark keeps its JVM in attributes without a public name)

import threading
from contextlib import suppress
from typing import Any

from . import jvm


class Borrowed:
    """The session of the invocation at work, and its settings from before that."""

    def __init__(self) -> None:
        self._session: Any = None
        self._settings: dict[str, str] = {}
        self._place = "", ""

    def take(self, session: Any) -> None:
        """The invocation is about to set something in it."""
        self._session, self._settings = session, _settings(session)
        self._place = session.catalog.currentCatalog(), session.catalog.currentDatabase()

    def give_back(self) -> None:
        """The invocation has ended: undo what it, or a statement of its project, has set."""
        session, self._session = self._session, None
        if session is None or session.sparkContext._jsc is None:  # it was stopped
            return
        with suppress(*jvm.FAILURES):
            now = _settings(session)
            own = jvm.session(session).sessionState().conf()  # SET and RESET refuse some
            for key in now.keys() - self._settings.keys():
                own.unsetConf(key)
            for key, value in self._settings.items() - now.items():
                own.setConfString(key, value)
            catalog, schema = self._place
            session.catalog.setCurrentCatalog(catalog)
            session.catalog.setCurrentDatabase(schema)


class BorrowedThread(threading.local):
    """This thread's marks on its jobs: their group, which a cancel ends, and their pool."""

    def __init__(self) -> None:
        self._context: Any = None
        self._properties: Any = None

    def take(self, session: Any) -> None:
        """The thread's jobs are about to be marked as a run's."""
        if self._context is None:
            self._context = jvm.context(session)
            self._properties = self._context.getLocalProperties().clone()

    def give_back(self) -> None:
        """The run has ended: later jobs of the thread are the program's."""
        context, self._context = self._context, None
        if context is not None:
            with suppress(*jvm.FAILURES):  # it was stopped
                context.setLocalProperties(self._properties)


def _settings(session: Any) -> dict[str, str]:
    return dict(jvm.as_json(session, jvm.session(session).conf().getAll()))


BORROWED = Borrowed()
BORROWED_THREAD = BorrowedThread()
