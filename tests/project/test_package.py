"""What dbt finds when it loads this package."""

import re
from pathlib import Path
from typing import Any

import yaml
from dbt.adapters.base.plugin import AdapterPlugin

import ctas_spark as library
import dbt.adapters.ctas_spark as package
from ctas_spark.catalogs.settings import ICEBERG_JARS
from ctas_spark.delta.limits import TRIED_JARS
from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials
from dbt.adapters.ctas_spark.impl import CtasSparkAdapter
from dbt.include import ctas_spark

ROOT = Path(__file__).parents[2]


def test_dbt_finds_the_adapter_on_top_of_dbt_sparks() -> None:
    """The plugin has the profile's type, and macros fall back to dbt-spark's."""
    plugin: AdapterPlugin = package.Plugin
    assert plugin.adapter.type() == "ctas_spark"
    assert plugin.dependencies == ["spark"]


def test_run_info_names_this_adapter() -> None:
    """dbt would look for a module named after the class, and mark every built model as failed."""
    node: Any = {}
    info = CtasSparkAdapter.get_adapter_run_info(node)
    assert info.adapter_name == "ctas_spark"


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Lazy names behave like any module's."""
    assert not hasattr(library, "NoSuchThing")


def test_the_template_of_dbt_init_makes_a_valid_profile() -> None:
    """The defaults of dbt init make a valid profile."""
    template = yaml.safe_load((Path(ctas_spark.PACKAGE_PATH) / "profile_template.yml").read_text())
    prompts = {name: prompt["default"] for name, prompt in template["prompts"].items()}
    profile = {**template["fixed"], **prompts}
    assert profile["type"] == "ctas_spark"
    CtasSparkCredentials.validate(
        {k: v for k, v in profile.items() if k not in ("type", "threads")}
    )


def minor(version: str) -> tuple[int, ...]:
    """Major and minor as numbers."""
    return tuple(int(part) for part in version.split(".")[:2])


def bounds(pattern: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lower and the upper bound of a requirement in pyproject.toml."""
    project = (ROOT / "pyproject.toml").read_text()
    (found,) = re.findall(pattern + r">=([\d.]+),<([\d.]+)\"", project, re.MULTILINE)
    return minor(found[0]), minor(found[1])


def after(version: tuple[int, ...]) -> tuple[int, ...]:
    """The minor that follows."""
    return (version[0], version[1] + 1)


def test_pyspark_is_bounded_by_the_oldest_and_the_newest_that_is_tested() -> None:
    """Every lock of a PySpark is run at night; what lies outside them nobody has tried."""
    tested = sorted(minor(lock.stem.split("-")[1]) for lock in ROOT.glob("requirements/pyspark-*"))
    oldest, newest = tested[0], tested[-1]
    assert bounds(r'^    "pyspark') == (oldest, after(newest))
    assert bounds(r'^connect = \["pyspark\[connect\]')[1] == after(newest)


def test_the_extra_of_a_format_brings_a_pyspark_that_has_a_jar() -> None:
    """A newer PySpark would leave a newcomer without Delta or Iceberg."""
    for extra, jars in {"delta": TRIED_JARS, "iceberg": ICEBERG_JARS}.items():
        having = sorted(map(minor, jars))
        assert bounds(rf'^{extra} = \["pyspark') == (having[0], after(having[-1]))


def test_every_minor_of_dbt_core_up_to_the_newest_is_tested() -> None:
    """A lock for each older minor, and everything on the newest; dbt-core 2 is another program."""
    constraints = (ROOT / "requirements" / "constraints.txt").read_text()
    ((newest, end),) = re.findall(r"^dbt-core>=([\d.]+),<([\d.]+)$", constraints, re.MULTILINE)
    assert minor(end) == after(minor(newest))
    older = sorted(minor(lock.stem.split("-")[1]) for lock in ROOT.glob("requirements/dbt-1.*.txt"))
    tested = [*older, minor(newest)]
    assert bounds(r'^    "dbt-core') == (tested[0], (2,))
    assert tested == [(1, part) for part in range(tested[0][1], tested[-1][1] + 1)]


def test_no_lock_holds_what_downloads_from_outside_the_package_index() -> None:
    """pip installs every lock where it reaches a package index and nothing else."""
    overrides = (ROOT / "requirements" / "overrides.txt").read_text()
    (left_out,) = re.findall(r"^([\w-]+) ;", overrides, re.MULTILINE)
    for lock in ROOT.glob("requirements/*.txt"):
        assert not re.search(rf"^{left_out}==.*\\$", lock.read_text(), re.MULTILINE), lock
