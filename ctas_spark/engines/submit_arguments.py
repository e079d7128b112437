"""The arguments of spark-submit, as it reads them when PySpark calls it."""

import os
import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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
