"""Properties that keep a fork apart from its target, and what is published instead."""

from collections.abc import Mapping
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX

GC = "gc.enabled"
DELETE_OLD_METADATA = "write.metadata.delete-after-commit.enabled"
OLD_METADATA_KEPT = "write.metadata.previous-versions-max"
DATA_PATH = "write.data.path"
METADATA_PATH = "write.metadata.path"
LOCATION_PROVIDER = "write.location-provider.impl"
FORMAT_VERSION = "format-version"
OF_A_FORK = (GC, DELETE_OLD_METADATA, OLD_METADATA_KEPT, DATA_PATH, METADATA_PATH)
EVERY_METADATA_FILE = "100000"


@dataclass(frozen=True, slots=True)
class ForkDirectories:
    """Two directories that only one version's files are written to."""

    data: str
    metadata: str

    @classmethod
    def below(cls, location: str, properties: Mapping[str, str], version: str) -> "ForkDirectories":
        """Within those that the table itself writes to."""
        root = location.rstrip("/")
        data = properties.get(DATA_PATH, f"{root}/data").rstrip("/")
        metadata = properties.get(METADATA_PATH, f"{root}/metadata").rstrip("/")
        return cls(f"{data}/{version}", f"{metadata}/{version}")


def of_a_fork(directories: ForkDirectories) -> dict[str, str]:
    """What a fork's first commit sets: it shares the target's files, so it deletes none, ever.

    All of its metadata files stay in its log, and all of its files lie in its own directories.
    """
    return {
        GC: "false",
        DELETE_OLD_METADATA: "false",
        OLD_METADATA_KEPT: EVERY_METADATA_FILE,
        DATA_PATH: directories.data,
        METADATA_PATH: directories.metadata,
    }


def of_the_statement(asked: Mapping[str, str]) -> dict[str, str]:
    """What a model's own properties may change on the fork."""
    return {key: value for key, value in asked.items() if key not in OF_A_FORK}


def published(
    fork: Mapping[str, str], base: Mapping[str, str], asked: Mapping[str, str]
) -> dict[str, str]:
    """What the target gets: the fork's, but in the place of its own ones the model's or the base's.

    As with Iceberg's own replace, properties that the model does not set stay.
    """
    kept = {k: v for k, v in fork.items() if k not in OF_A_FORK and not k.startswith(PREFIX)}
    for key in OF_A_FORK:
        value = asked.get(key, base.get(key))
        if value is not None:
            kept[key] = value
    return kept
