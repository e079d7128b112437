"""The workflows of the forge call what anyone can call in a checkout."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCRIPT = re.compile(r"(?:^|\s)((?:\./|bin/)[\w-]+)")
TESTS = re.compile(r"\btests/[\w/]+")


def jobs(workflow: Path) -> dict[str, Any]:
    """The jobs of a workflow by name."""
    return dict(yaml.safe_load(workflow.read_text())["jobs"])


def commands(workflow: Path) -> Iterator[str]:
    """What its steps run."""
    for job in jobs(workflow).values():
        yield from (step["run"] for step in job["steps"] if "run" in step)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_calls_is_in_the_tree(workflow: Path) -> None:
    """No workflow names a script or a test directory that is gone."""
    for command in commands(workflow):
        assert all(os.access(ROOT / script, os.X_OK) for script in SCRIPT.findall(command)), command
        assert all((ROOT / path).exists() for path in TESTS.findall(command)), command


def test_every_supported_python_is_checked_before_a_change_is_taken() -> None:
    """The versions of Python that the package names are those that a pull request runs on."""
    project = (ROOT / "pyproject.toml").read_text()
    supported = re.findall(r"Programming Language :: Python :: (3\.\d+)", project)
    quick = jobs(ROOT / ".github" / "workflows" / "pull-request.yml")["quick"]
    assert quick["strategy"]["matrix"]["python"] == supported


def test_the_night_runs_the_widest_check() -> None:
    """Nothing that ./check can run is left out at night."""
    widest = "./check --all" if "--all)" in (ROOT / "check").read_text() else "./check"
    assert widest in commands(ROOT / ".github" / "workflows" / "nightly.yml")


def test_only_the_job_that_publishes_may_ask_for_an_identity() -> None:
    """A build that went astray has no right to publish, and no workflow keeps a token."""
    for workflow in WORKFLOWS:
        asking = [name for name, job in jobs(workflow).items() if "permissions" in job]
        assert asking == (["publish"] if workflow.stem == "release" else [])
        assert "secrets." not in workflow.read_text()
