"""The commands of README's "Use it", as a newcomer copies them."""

import os
import re
import subprocess
import sys
from pathlib import Path

from readers.session import QUICK

ROOT = Path(__file__).parents[3]
COMMANDS = ROOT / "bin" / "readme-commands"
TABLE = re.compile(r"Tables written by this run:\n(?:\|.*\n)+")
SHORT = {"JDK_JAVA_OPTIONS": QUICK}
"""For a JVM that runs as briefly as these."""
VARIES = (
    (r"\d{8}t\d{6}x[0-9a-f]{8}", "VERSION"),
    (r"[\d.]+ KB", "SIZE"),
    (r"\d+\.\d(?= \|$)", "TIME"),
    (r"  +", " "),
    (r"--+", "-"),
)


def table(text: str) -> str:
    """What a run has written, without what differs from run to run."""
    found = "".join(TABLE.findall(text))
    for pattern, instead in VARIES:
        found = re.sub(pattern, instead, found, flags=re.MULTILINE)
    return found


def test_the_project_of_the_readme_publishes_its_table(tmp_path: Path) -> None:
    """Everything after the installation, in a directory next to the checkout's.

    Spark's log has no error: refusals that are expected stay out of it.
    """
    commands = subprocess.check_output([COMMANDS], text=True)
    _, after_installation = re.split(r"^pip install .*\n", commands, flags=re.MULTILINE)
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    logs = tmp_path / "logs"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", after_installation],
        cwd=checkout,
        env={**os.environ, "PATH": path, "DBT_LOG_PATH": str(logs), **SHORT},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Done. PASS=1" in done.stdout
    assert table(done.stdout) == table((ROOT / "README.md").read_text())
    assert re.search(r"\|\s*4 \|\s*40 \|", done.stdout), done.stdout
    project = tmp_path / "shop"
    assert (project / "spark-warehouse").is_dir()
    assert (project / "metastore_db").is_dir()
    assert " ERROR " not in (logs / "spark.log").read_text()
