"""Seeds."""

from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.adapter.simple_seed import fixtures, seeds
from dbt.tests.adapter.simple_seed.test_seed import BaseSeedSpecificFormats, BaseSimpleSeedWithBOM
from dbt.tests.adapter.simple_seed.test_seed_type_override import BaseSimpleSeedColumnOverride

from conformance.suite import inherit


class TestSimpleSeedWithBOM(BaseSimpleSeedWithBOM):
    """The suite's package does not hold the file that its class copies."""

    @pytest.fixture(scope="class", autouse=True)
    def setUp(self, project: Any) -> None:
        project.run_sql(seeds.seeds__expected_sql)
        file = Path(str(project.project_root), "seeds", "seed_bom.csv")
        file.write_bytes(BOM_UTF8 + seeds.seed__actual_csv.encode())


class TestSeedSpecificFormats(BaseSeedSpecificFormats):
    """A file's name may have dots, but not a table's in Spark's session catalog."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        alias = {"seed.with.dots": {"alias": "seed_with_dots"}}
        return {"seeds": {"quote_columns": False, "test": alias}}


class TestSimpleSeedColumnOverride(BaseSimpleSeedColumnOverride):
    """The types that dbt finds for a column are Spark's."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        types = fixtures.properties__schema_yml.replace("type: integer", "type: bigint")
        return {"schema.yml": types.replace("timestamp without time zone", "timestamp")}


inherit(globals(), "simple_seed")
