"""What dbt finds when it loads this package."""

from pathlib import Path

import yaml
from dbt.adapters.base.plugin import AdapterPlugin

import dbt.adapters.ctas_spark as package
from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials
from dbt.include import ctas_spark


def test_dbt_finds_the_adapter_on_top_of_dbt_sparks() -> None:
    """The plugin has the profile's type, and macros fall back to dbt-spark's."""
    plugin: AdapterPlugin = package.Plugin
    assert plugin.adapter.type() == "ctas_spark"
    assert plugin.dependencies == ["spark"]


def test_run_info_names_this_adapter() -> None:
    """dbt would look for a module named after the class, and mark every built model as failed."""
    info = package.Plugin.adapter.get_adapter_run_info({})
    assert info.adapter_name == "ctas_spark"


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Lazy names behave like any module's."""
    assert not hasattr(package, "NoSuchThing")


def test_the_template_of_dbt_init_makes_a_valid_profile() -> None:
    """The defaults of dbt init make a valid profile."""
    template = yaml.safe_load((Path(ctas_spark.PACKAGE_PATH) / "profile_template.yml").read_text())
    prompts = {name: prompt["default"] for name, prompt in template["prompts"].items()}
    profile = {**template["fixed"], **prompts}
    assert profile["type"] == "ctas_spark"
    CtasSparkCredentials.validate(
        {k: v for k, v in profile.items() if k not in ("type", "threads")}
    )
