"""Which Java is there, and whether Spark runs on it."""

import pytest

from dbt.adapters.ctas_spark.java import Java, complaint


@pytest.mark.parametrize(
    ("major", "spark", "fits"),
    [
        (17, "4.1.4", True),
        (21, "4.1.4", True),
        (11, "4.1.4", False),
        (25, "4.1.4", False),
        (8, "3.5.9", True),
        (21, "3.5.9", False),
    ],
)
def test_each_spark_names_the_javas_it_runs_on(major: int, spark: str, fits: bool) -> None:  # noqa: FBT001
    """A wrong Java is named with its version and with the right ones."""
    said = complaint(Java("/opt/java", major), spark)
    assert (said is None) == fits
    assert fits or f"/opt/java is Java {major}" in str(said)


def test_no_java_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Java the message says where it was looked for and what to install."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    said = complaint(None, "4.1.4")
    assert "none is on PATH" in str(said)
    assert "apt-get install" in str(said)
