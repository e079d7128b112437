"""Tell where the profile contradicts what Spark is given elsewhere, and which value is used."""

import re
from collections.abc import Callable, Mapping

from pyspark import SparkContext

from ..redaction import redacted
from . import given

OF_THE_JVM = re.compile(
    r"spark[.](?:jars(?:[.]\w+)?|files|archives|submit[.]\w+"
    r"|driver[.](?:memory|memoryOverhead|cores|extra\w+|defaultJavaOptions|userClassPathFirst))"
)
"""What spark-submit reads as it starts the JVM."""
IN_A_SESSION = "spark.sql."


def tell(profile: Mapping[str, str], say: Callable[[str], None]) -> None:
    """Name each setting that the profile has in vain, or that it takes from others."""
    elsewhere = given.settings()
    for key, wanted in sorted(profile.items()):
        found = elsewhere.get(key)
        if found is not None and found.value == wanted:
            continue
        ours, theirs = _shown(key, wanted), _shown(key, found.value if found else None)
        if given.is_there() and is_late(key):
            who = found.source if found else given.source()
            say(f"{key}: {theirs} ({who}) is used, and not {ours} (profile): Spark runs already")
        elif found is not None and found.source != given.DEFAULTS_FILE:
            say(f"{key}: {ours} (profile) is used, and not {theirs} ({found.source})")


def is_late(key: str) -> bool:
    """True if a Spark that is there no longer reads the setting."""
    if not given.has_session():
        return bool(OF_THE_JVM.fullmatch(key))
    return not key.startswith(IN_A_SESSION) or is_static(key)


def is_static(key: str) -> bool:
    """True if every session of one Spark has the same value."""
    packages = SparkContext._jvm  # noqa: SLF001 (PySpark has no public way to its JVM)
    return bool(packages.org.apache.spark.sql.internal.SQLConf.isStaticConfigKey(key))  # type: ignore[union-attr]


def _shown(key: str, value: str | None) -> str:
    return "Spark's default" if value is None else redacted({key: value})[key]
