"""The profiles on the pages of EMR, Cloudera and Kyuubi are ones that the adapter takes."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials

DOCS = Path(__file__).parents[2] / "docs"


def whole_profile(page: str) -> dict[str, Any]:
    """The one output of the page's whole profile, as dbt hands it to the adapter."""
    text = (DOCS / f"{page}.md").read_text()
    blocks = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (whole,) = [block for block in blocks if "outputs:" in block]
    (named,) = yaml.safe_load(whole).values()
    found: dict[str, Any] = named["outputs"][named["target"]]
    assert found.pop("type") == "ctas_spark"
    found.pop("threads", None)
    return found


@pytest.mark.parametrize("page", ["emr", "cloudera", "kyuubi"])
def test_a_whole_profile_is_taken(page: str) -> None:
    """It leads to a server, and to its metastore."""
    credentials = CtasSparkCredentials.from_dict(whole_profile(page))
    assert credentials.thrift_server.host
    assert credentials.metastore_address is not None
