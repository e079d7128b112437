"""The options of the JVM in which Spark's driver runs: the user's own, and ours where they fit."""

import os
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from . import class_archive, given

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
BEFORE_THEM = "spark.driver.defaultJavaOptions"
VARIABLES = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
LOG = "spark.log"
OUR_LOG = "ctas.spark.log"
COLLECTOR = re.compile(r"-XX:[+-]Use\w+GC\b")
QUICK_COLLECTOR = "-XX:+UseParallelGC"
COMPILERS = re.compile(r"-XX:[+-]?Tier|-Xint|-Xcomp|CompileThreshold")
LATER_C2 = (
    "-XX:Tier4InvocationThreshold=30000 -XX:Tier4MinInvocationThreshold=10000 "
    "-XX:Tier4CompileThreshold=60000"
)
"""Code is optimized after some six times as many calls as by default: short runs end before that
has paid off, and the loops of a long job get there all the same."""
ARCHIVES = re.compile(r"-Xshare|SharedArchiveFile|ArchiveClassesAtExit|AOT(?:Cache|Mode|Config)")


def java_options(settings: Mapping[str, str], log_directory: str, *, is_local: bool) -> str:
    """The value of ``JAVA_OPTIONS``: the user's, from the settings or from elsewhere, first.

    Ours are left out where the user chose something, also in a variable that Java reads.
    """
    own = given.under(settings).get(JAVA_OPTIONS, "")
    chosen = _chosen(settings)
    ours = [own]
    if is_local and not COLLECTOR.search(chosen):
        ours.append(QUICK_COLLECTOR)
    if is_local and not COMPILERS.search(chosen):
        ours.append(LATER_C2)
    if not ARCHIVES.search(chosen):
        ours.append(class_archive.option())
    if not has_own_logging(settings):
        ours.append(_logging(log_directory))
    return " ".join(filter(None, ours))


def has_own_logging(settings: Mapping[str, str]) -> bool:
    """True if the user's options configure log4j: nobody here knows where that writes."""
    found = given.under(settings).get(JAVA_OPTIONS, "")
    return "log4j" in found and OUR_LOG not in found


def lacks_archive(settings: Mapping[str, str]) -> bool:
    """True if these settings, ours included, name no archive, and don't rule one out."""
    return not ARCHIVES.search(_chosen(settings))


def _chosen(settings: Mapping[str, str]) -> str:
    named = given.under(settings)
    variables = (os.environ.get(one, "") for one in VARIABLES)
    return " ".join([named.get(JAVA_OPTIONS, ""), named.get(BEFORE_THEM, ""), *variables])


def _logging(log_directory: str) -> str:
    directory = Path(os.path.abspath(log_directory))  # noqa: PTH100 (resolve() follows links)
    configuration = files("ctas_spark").joinpath("log4j2.properties")
    options = {
        "log4j2.configurationFile": Path(str(configuration)).as_uri(),
        OUR_LOG: directory / LOG,
        "derby.stream.error.file": directory / "derby.log",
    }
    return " ".join(f'"-D{key}={value}"' for key, value in options.items())
