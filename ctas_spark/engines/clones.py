"""Sessions of nodes that may change one: what such a node sets, uses or registers ends with it.

``cloneSession`` copies settings, the current schema, temporary views and functions. It leaves out
the current catalog, session variables, and the catalogs that were loaded: Iceberg's cache tables,
so that a session with catalogs of its own would read what another has published some time later.
"""
# ruff: noqa: SLF001 (PySpark's classes have no public way to a session of the JVM's)

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any
from weakref import WeakSet

from py4j.clientserver import ClientServer
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ..context import SESSION_CATALOG
from ..errors import NotSupportedError
from . import jvm
from .connect import active_on_server

ICEBERGS = "org.apache.iceberg."
SETTING = "spark.sql.catalog."
OF_NO_SESSION = ("spark.remote", "spark.master", "spark.app.name")
"""What a builder may have, and a session on a server has no use for."""
ADD_ALL = "$plus$plus$eq"
"""Scala's ``++=``, in its every version."""

_bound = threading.local()
_loaded: WeakSet[SparkSession] = WeakSet()


def require_pinned_threads(spark: Any) -> None:
    """Return if each thread of this process has one of its own in the JVM.

    Raises:
        NotSupportedError: their jobs, and what each sets for its own, would mix.
    """
    if jvm.is_local(spark) and not isinstance(spark.sparkContext._gateway, ClientServer):
        raise NotSupportedError(
            "PYSPARK_PIN_THREAD is false: what one thread cancels would cancel the jobs of others, "
            "and threads would share what each of them sets in its session",
            left="nothing was started",
            remedy="remove the variable from the environment",
        )


def clone(spark: SparkSession) -> SparkSession:
    """A session that begins with all that this one has, and shares its loaded catalogs."""
    _load_catalogs(spark)
    own = SparkSession(spark.sparkContext, jvm.session(spark).cloneSession())
    of, to = _catalogs(spark), _catalogs(own)
    fields = jvm.classes(spark).org.apache.commons.lang3.reflect.FieldUtils
    shared = fields.readField(of, "catalogs", True).clone()
    if _is_of_its_session(shared.get(SESSION_CATALOG)):
        shared.remove(SESSION_CATALOG)
    getattr(fields.readField(to, "catalogs", True), ADD_ALL)(shared)
    if of.currentCatalog().name() != to.currentCatalog().name():
        to.setCurrentCatalog(of.currentCatalog().name())
        to.setCurrentNamespace(of.currentNamespace())
    has_variables = not spark.version.startswith("3.")
    if has_variables and not of.tempVariableManager().isEmpty():
        old, new = (
            fields.readField(one.tempVariableManager(), "variables", True) for one in (of, to)
        )
        getattr(new, ADD_ALL)(old)
    jvm.note_session(own)
    return own


@contextmanager
def bound(own: Any, instead_of: Any) -> Iterator[None]:
    """Let this thread's code find the session as the active one, and by ``getOrCreate()``.

    PySpark keeps both in variables of all threads, but for sessions on a server; and would start
    a Spark in this process next to such a session.
    """
    _find_what_is_bound()
    if not jvm.is_local(own):
        _create_none_where_bound(type(own).Builder)
    with _active(own, instead_of) if jvm.is_local(own) else active_on_server(own):
        _bound.session = own
        try:
            yield
        finally:
            _bound.session = None


@contextmanager
def _active(own: Any, instead_of: Any) -> Iterator[None]:
    jvm.activate(own)
    try:
        yield
    finally:
        if SparkSession._activeSession is own:
            SparkSession._activeSession = instead_of
        with suppress(*jvm.GONE):
            jvm.activate(instead_of)


def _load_catalogs(spark: SparkSession) -> None:
    """All that are configured; one that can't be loaded fails who uses it, and nobody else."""
    if spark in _loaded:
        return
    settings = jvm.as_json(spark, jvm.session(spark).conf().getAll())
    names = (key.removeprefix(SETTING) for key in settings if key.startswith(SETTING))
    for name in (one for one in names if "." not in one):
        with suppress(Py4JJavaError, PySparkException):
            _catalogs(spark).catalog(name)
    _loaded.add(spark)


def _catalogs(spark: SparkSession) -> Any:
    return jvm.session(spark).sessionState().catalogManager()


def _is_of_its_session(catalog: Any) -> bool:
    """Spark's own and Delta's go by the settings of the session that has loaded them."""
    return bool(catalog.isDefined()) and not str(catalog.get().getClass().getName()).startswith(
        ICEBERGS
    )


@cache
def _find_what_is_bound() -> None:
    active = SparkSession.getActiveSession

    def active_or_bound() -> Any:
        return getattr(_bound, "session", None) or active()

    SparkSession.getActiveSession = staticmethod(active_or_bound)  # type: ignore[method-assign]
    _create_none_where_bound(SparkSession.Builder)


@cache
def _create_none_where_bound(builder_class: type[Any]) -> None:
    get_or_create = builder_class.getOrCreate

    def bound_or_created(builder: Any) -> Any:
        own = getattr(_bound, "session", None)
        if own is None:
            return get_or_create(builder)
        _configure(own, builder._options)
        return own

    builder_class.getOrCreate = bound_or_created


def _configure(own: Any, options: Mapping[str, Any]) -> None:
    """Give a session what a builder has, without the lock that PySpark holds meanwhile.

    On a server, a setting may have to wait for nodes that want that lock.
    """
    if jvm.is_local(own):
        jvm.companion(own).applyModifiableSettings(jvm.session(own), options)
        return
    settings = {name: value for name, value in options.items() if name not in OF_NO_SESSION}
    own.conf._set_all(settings, silent=True)
