"""A cluster's new schemas are not created on the machine of its driver unless somebody said so."""

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.engines import jvm
from ctas_spark.engines.embedded import METASTORES, WAREHOUSE
from ctas_spark.engines.reachable import is_of_this_machine, require_shared_warehouse
from ctas_spark.errors import ProfileError

HERE = "file:/home/me/shop/spark-warehouse"
REMOTE = {METASTORES[0]: "thrift://h:9083"}


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A session on a master, with a warehouse, in the working directory /home/me/shop."""
    sources = SimpleNamespace(get=lambda _: "file:///", getPropertySources=lambda _: None)
    system = SimpleNamespace(getProperty=lambda _: "/home/me/shop")
    packages = SimpleNamespace(java=SimpleNamespace(lang=SimpleNamespace(System=system)))
    monkeypatch.setattr(jvm, "hadoop_configuration", lambda _: sources)
    monkeypatch.setattr(jvm, "classes", lambda _: packages)

    def session(master: str, warehouse: str) -> Any:
        conf = SimpleNamespace(get={WAREHOUSE: warehouse}.get)
        return SimpleNamespace(sparkContext=SimpleNamespace(master=master), conf=conf)

    return session


def test_sparks_default_is_refused_on_a_cluster(on: Any) -> None:
    """The metastore would keep that location of the schema for good."""
    with pytest.raises(ProfileError) as caught:
        require_shared_warehouse(on("yarn", HERE), REMOTE)
    assert f"Spark runs on yarn, and new schemas would be created in {HERE}" in caught.value.what
    assert caught.value.left == "no table was touched, and no schema was created"


@pytest.mark.parametrize("master", ["local", "local[4]", "local-cluster[2,1,800]"])
def test_a_spark_on_this_machine_alone_may_use_it(on: Any, master: str) -> None:
    """Its executors are here, too."""
    require_shared_warehouse(on(master, HERE), {})


@pytest.mark.parametrize("profile", [{WAREHOUSE: "/mnt/shared/x"}, {}])
def test_a_local_directory_that_somebody_chose_is_warned_of(
    on: Any, profile: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    """In the profile or in hive-site.xml: all machines may have mounted it."""
    with caplog.at_level(logging.WARNING):
        require_shared_warehouse(on("yarn", "file:/mnt/shared/x"), {**REMOTE, **profile})
    source = "profile" if profile else "hive-site.xml"
    assert caplog.messages == [
        (
            f"the warehouse file:/mnt/shared/x ({source}) is a local directory, and Spark runs on "
            "yarn: all of its machines have to share that directory"
        )
    ]


def test_a_metastore_of_the_driver_alone_is_warned_of(
    on: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """On a cluster nobody else finds what is published there."""
    with caplog.at_level(logging.WARNING):
        require_shared_warehouse(on("yarn", "hdfs://n/w"), {})
    (line,) = caplog.messages
    assert line.startswith("no metastore is named, so it is Spark's own of the working directory")


@pytest.mark.parametrize(
    ("warehouse", "default", "expected"),
    [
        (HERE, "hdfs://n", True),
        ("/w", "file:///", True),
        ("/w", "hdfs://n", False),
        ("s3a://b/w", "file:///", False),
    ],
)
def test_a_path_is_of_its_file_system(
    warehouse: str,
    default: str,
    expected: bool,  # noqa: FBT001 (a parameter of pytest)
) -> None:
    """Or of Hadoop's default one, if it names none."""
    assert is_of_this_machine(warehouse, default) is expected
