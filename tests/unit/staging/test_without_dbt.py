"""The core stands alone."""

import subprocess
import sys

SCRIPT = """
import sys
class NoDbt:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[:2] in (["dbt", "cli"], ["dbt", "task"], ["dbt_common"]) or (
            name.startswith("dbt.adapters.") and not name.startswith("dbt.adapters.ctas_spark")
        ):
            raise ImportError(f"{name} is dbt's")
sys.meta_path.insert(0, NoDbt())
import dbt.adapters.ctas_spark.staging
import dbt.adapters.ctas_spark.staging.catalogs.session
import dbt.adapters.ctas_spark as package
for names in package.PUBLIC.values():
    for name in names:
        getattr(package, name)
print("imported")
"""


def test_the_core_imports_nothing_of_dbt() -> None:
    """The core, and save_as above it, work where dbt's own modules can't be imported."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "imported", done.stderr
