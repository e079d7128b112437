"""What Spark is given by others than the profile: spark-submit, a session that is there, files."""
# ruff: noqa: SLF001 (PySpark keeps its JVM in attributes without a public name)

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

SUBMIT_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
CONF, PROPERTIES, WITH_DEFAULTS = "--conf", "--properties-file", "--load-spark-defaults"
OPTIONS = {
    "--master": "spark.master",
    "--deploy-mode": "spark.submit.deployMode",
    "--name": "spark.app.name",
    "--driver-memory": "spark.driver.memory",
    "--driver-java-options": "spark.driver.extraJavaOptions",
    "--driver-class-path": "spark.driver.extraClassPath",
    "--driver-library-path": "spark.driver.extraLibraryPath",
    "--driver-cores": "spark.driver.cores",
    "--executor-memory": "spark.executor.memory",
    "--executor-cores": "spark.executor.cores",
    "--num-executors": "spark.executor.instances",
    "--total-executor-cores": "spark.cores.max",
    "--queue": "spark.yarn.queue",
    "--jars": "spark.jars",
    "--packages": "spark.jars.packages",
    "--exclude-packages": "spark.jars.excludes",
    "--repositories": "spark.jars.repositories",
    "--files": "spark.files",
    "--archives": "spark.archives",
    "--py-files": "spark.submit.pyFiles",
    "--principal": "spark.kerberos.principal",
    "--keytab": "spark.kerberos.keytab",
}
"""Options of spark-submit, and the settings that they mean."""
FLAGS = ("--help", "-h", "--supervise", "--verbose", "-v", "--version", WITH_DEFAULTS)
"""Options without a value."""

GATEWAY = "PYSPARK_GATEWAY_PORT"
"""spark-submit sets it for the Python file that it runs."""
MASTER_VARIABLE = "MASTER"
DEFAULTS_FILE = "spark-defaults.conf"
HIVE_SITE = "hive-site.xml"
SPARK_SUBMIT = "spark-submit"
SESSION_THERE = "the Spark session that was there before dbt"
JVM_THERE = "the JVM that was there before dbt"
MASTER = "spark.master"
SETTING = re.compile(r"^[ \t]*([^\s#=:]+)[ \t=:]+(\S.*?)[ \t]*$", re.MULTILINE)
"""A line of spark-defaults.conf, which Java reads as properties."""


@dataclass(frozen=True, slots=True)
class Given:
    """The value of a setting, and where it comes from."""

    value: str
    source: str


class OwnSpark:
    """The Spark that this adapter has started in this process, or found warm."""

    def __init__(self) -> None:
        self._gateway: Any = None
        self.defaults: frozenset[str] = frozenset()
        """The settings whose values are this adapter's."""
        self.was_given: Mapping[str, Given] | None = None
        """What its JVM was given before, if others have started that."""
        self.profile: Mapping[str, str] = {}
        """The settings of the profile that it was started for."""
        self.earlier: Any = None
        """The session of the invocation before this one."""

    def note(
        self, defaults: Iterable[str] = (), was_given: Mapping[str, Given] | None = None
    ) -> None:
        """The Spark that this process has now is the adapter's own."""
        self._gateway, self.earlier = SparkContext._gateway, None
        self.defaults, self.was_given = frozenset(defaults), was_given

    @property
    def is_used(self) -> bool:
        """True if this process has a Spark, and it is the adapter's own."""
        return SparkContext._gateway is not None and SparkContext._gateway is self._gateway

    @property
    def was_launched(self) -> bool:
        """True if its JVM is the adapter's own, too."""
        return self.is_used and self.was_given is None


OWN_SPARK = OwnSpark()


def is_there() -> bool:
    """True if others have started this process's JVM: spark-submit, or who made a session."""
    has_jvm = SparkContext._gateway is not None or GATEWAY in os.environ
    return has_jvm and not OWN_SPARK.was_launched


def has_session() -> bool:
    """True if others have started Spark itself, and not only its JVM."""
    context: Any = SparkContext._active_spark_context
    return is_there() and not OWN_SPARK.is_used and context is not None and context._jsc is not None


def source() -> str:
    """What started the JVM that was there."""
    if has_session():
        return SESSION_THERE
    return SPARK_SUBMIT if GATEWAY in os.environ else JVM_THERE


def values() -> dict[str, str]:
    """The settings that apply where the profile names no other value."""
    return {key: one.value for key, one in settings().items()}


def settings() -> dict[str, Given]:
    """Those settings, each with its source; a JVM that is there is asked."""
    if OWN_SPARK.is_used and OWN_SPARK.was_given is not None:
        return dict(OWN_SPARK.was_given)
    return _of_jvm() if is_there() else _of_launch()


def under(profile: Mapping[str, str]) -> dict[str, str]:
    """The settings that apply with a profile's over them."""
    return {**values(), **profile}


def is_local(profile: Mapping[str, str]) -> bool:
    """True if Spark runs on this machine alone, as it does where no master is named."""
    return under(profile).get(MASTER, "local").startswith("local")


def is_set(key: str) -> bool:
    """True if somebody has set it, even if only in the session that is there."""
    session: Any = SparkSession._instantiatedSession
    in_session = session is not None and session._jsparkSession.sessionState().conf()
    return key in values() or bool(in_session and in_session.contains(key))


def has_hive_site() -> bool:
    """True if Spark reads a hive-site.xml, which may name a metastore, or a warehouse."""
    if is_there() or OWN_SPARK.is_used:
        SparkContext._ensure_initialized()
        thread: Any = SparkContext._jvm.java.lang.Thread  # type: ignore[union-attr]
        return thread.currentThread().getContextClassLoader().getResource(HIVE_SITE) is not None
    return any(_files(HIVE_SITE, "SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR"))


def _of_jvm() -> dict[str, Given]:
    """The configuration of its context, or what a context would begin with."""
    SparkContext._ensure_initialized()  # connects to it
    context: Any = SparkContext._active_spark_context
    found = context.getConf() if has_session() else SparkConf()
    of_file, name = _of_file(), source()
    return {
        key: Given(value, DEFAULTS_FILE if of_file.get(key) == value else name)
        for key, value in found.getAll()
    }


def _of_launch() -> dict[str, Given]:
    """What spark-submit will read when PySpark calls it; an option wins over --conf."""
    given = sorted(options(), key=lambda one: one.name in OPTIONS)
    files = [Path(one.value) for one in given if one.name == PROPERTIES]
    has_defaults = not files or any(one.name == WITH_DEFAULTS for one in given)
    master = os.environ.get(MASTER_VARIABLE)
    weakest_first = (
        (f"the variable {MASTER_VARIABLE}", {MASTER: master} if master else {}),
        (DEFAULTS_FILE, _of_file() if has_defaults else {}),
        (SUBMIT_ARGUMENTS, _read(files[-1]) if files else {}),
        (SUBMIT_ARGUMENTS, {key: value for key, value in (one.setting for one in given) if key}),
    )
    return {
        key: Given(value, source) for source, found in weakest_first for key, value in found.items()
    }


def _of_file() -> dict[str, str]:
    """What an administrator set for every session of this machine."""
    found: dict[str, str] = {}
    for path in _files(DEFAULTS_FILE, "SPARK_CONF_DIR"):
        found |= _read(path)
    return found


def _read(path: Path) -> Mapping[str, str]:
    """A run asks for settings dozens of times: a file is read again only after a change."""
    with suppress(OSError):
        state = path.stat()
        return _read_once(path, state.st_mtime_ns, state.st_size)
    return {}


@lru_cache(maxsize=8)
def _read_once(path: Path, _mtime_ns: int, _size: int) -> Mapping[str, str]:
    return dict(SETTING.findall(path.read_text(errors="replace")))


def _files(name: str, *variables: str) -> Iterator[Path]:
    home = os.environ.get("SPARK_HOME", str(Path(pyspark.__file__).parent))
    directories = [*(os.environ.get(one) for one in variables), f"{home}/conf"]
    found = (Path(one) / name for one in directories if one)
    return (one for one in found if one.exists())


@dataclass(frozen=True, slots=True)
class Option:
    """An option of spark-submit as it was written, and the setting that it means, if it is one."""

    tokens: tuple[str, ...]
    name: str
    value: str = ""

    @property
    def setting(self) -> tuple[str, str]:
        """Key and value; the key is empty if it means none."""
        if self.name in (CONF, "-c"):
            key, _, value = self.value.partition("=")
            return key.strip(), value
        return OPTIONS.get(self.name, ""), self.value


def options() -> Iterator[Option]:
    """Those of this process, up to the first word that is no option; the rest is one."""
    words = shlex.split(os.environ.get(SUBMIT_ARGUMENTS, ""))
    while words and words[0].startswith("-"):
        name, equals, value = words[0].partition("=")
        length = 1 if (equals and name.startswith("--")) or words[0] in FLAGS else 2
        if length > 1:
            name, value = words[0], "".join(words[1:2])
        yield Option(tuple(words[:length]), name, value)
        words = words[length:]
    yield Option(tuple(words), "")


@contextmanager
def arguments_without(keys: Iterable[str]) -> Iterator[None]:
    """Launch a JVM without the options that would win over these keys' values on its command."""
    before = os.environ.get(SUBMIT_ARGUMENTS)
    if before is None:
        yield
        return
    unwanted = frozenset(keys)
    kept = [one.tokens for one in options() if one.setting[0] not in unwanted]
    os.environ[SUBMIT_ARGUMENTS] = shlex.join(token for tokens in kept for token in tokens)
    try:
        yield
    finally:
        os.environ[SUBMIT_ARGUMENTS] = before
