"""The core stands alone."""

import subprocess
import sys

SCRIPT = """
import sys
class NoDbt:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("dbt", "dbt_common"):
            raise ImportError(f"{name} is dbt's")
sys.meta_path.insert(0, NoDbt())
import ctas_spark
import ctas_spark.catalogs.session
for names in ctas_spark.PUBLIC.values():
    for name in names:
        getattr(ctas_spark, name)
print("imported")
"""


def test_the_core_imports_nothing_of_dbt() -> None:
    """The core, and save_as above it, work where dbt's own modules can't be imported."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "imported", done.stderr
