"""Run dbt in the driver that spark-submit, or Kubernetes' operator, has started.

spark-submit run_dbt.py build --project-dir /project --profiles-dir /project
"""

import sys

from dbt.cli.main import dbtRunner

if __name__ == "__main__":
    outcome = dbtRunner().invoke(["--no-use-colors", *sys.argv[1:]])
    sys.exit(0 if outcome.success else 1 if outcome.exception is None else 2)
