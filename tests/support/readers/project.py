"""A dbt project whose one model holds the version that a writer asks for."""

import json
from collections.abc import Mapping
from pathlib import Path

from readers.session import SMALL

NAME = "versioned"


def session_output(
    adapter: str, schema: str, conf: Mapping[str, str], **profile: object
) -> dict[str, object]:
    """Return a profile's output of type ``adapter``, with a session in dbt's process by default."""
    return {
        "type": adapter,
        "method": "session",
        "host": "NA",
        "schema": schema,
        "threads": 1,
        "server_side_parameters": {**SMALL, **conf},
        **profile,
    }


def write_project(
    directory: Path, output: Mapping[str, object], model: Mapping[str, object]
) -> Path:
    """Write project and profile into ``directory``, with ``model`` as the model's config.

    The model is called ``NAME``. It reads the variables that the writer gives: ``v``
    and ``select_sql``.
    """
    (directory / "models").mkdir(parents=True)
    (directory / "models" / f"{NAME}.sql").write_text("{{ var('select_sql') }}\n")
    profile = {NAME: {"target": "test", "outputs": {"test": output}}}
    project = {"name": NAME, "profile": NAME, "models": {NAME: _with_plus(model)}}
    # JSON is YAML.
    (directory / "profiles.yml").write_text(json.dumps(profile))
    (directory / "dbt_project.yml").write_text(json.dumps(project))
    return directory


def _with_plus(config: Mapping[str, object]) -> dict[str, object]:
    return {f"+{key}": value for key, value in config.items()}
