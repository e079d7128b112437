"""The profiles of docs/platforms.md are ones that the adapter takes."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials

PAGE = Path(__file__).parents[2] / "docs" / "platforms.md"
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
WHOLE = [block for block in BLOCKS if "outputs:" in block]


def profile_in(block: str) -> dict[str, Any]:
    """The one output of a whole profile, as dbt hands it to the adapter."""
    (named,) = yaml.safe_load(block).values()
    found: dict[str, Any] = named["outputs"][named["target"]]
    assert found.pop("type") == "ctas_spark"
    found.pop("threads", None)
    return found


@pytest.mark.parametrize("block", WHOLE, ids=lambda block: block.split("target: ")[1].split()[0])
def test_a_whole_profile_is_taken(block: str) -> None:
    """It leads to a server, and to its metastore."""
    credentials = CtasSparkCredentials.from_dict(profile_in(block))
    assert credentials.thrift_server.host
    assert credentials.metastore_address is not None


def test_there_is_one_for_each_product() -> None:
    """EMR, Cloudera, Kyuubi."""
    assert len(WHOLE) == 3
