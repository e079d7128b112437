"""What bin/bare-debian does on a bare Debian, as far as that shows without one."""

import subprocess
from pathlib import Path

BIN = Path(__file__).parents[2] / "bin"


def test_a_newcomer_copies_every_command_of_the_readme() -> None:
    """From what apt-get installs to a look at the table, and nothing of other sections."""
    commands = subprocess.check_output([BIN / "readme-commands"], text=True).splitlines()
    assert commands[0].startswith("sudo apt-get ")
    assert commands[-1].startswith("dbt show ")
    constraint = "--constraint requirements/index-only.txt"
    assert f'pip install ".[delta,iceberg]" "pyspark==4.1.*" {constraint}' in commands
    assert not any(line.startswith(("```", "./")) for line in commands)


def test_a_part_that_is_none_is_refused_before_anything_is_made() -> None:
    """A misspelt part says which parts there are."""
    run = subprocess.run(
        [BIN / "bare-debian", "readme", "demmo"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "readme | demo | check | quick" in run.stderr
