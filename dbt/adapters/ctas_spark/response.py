"""What run_results.json says of one publication."""

from dataclasses import dataclass

from dbt.adapters.contracts.connection import AdapterResponse


@dataclass
class PublicationResponse(AdapterResponse):
    """The ``adapter_response`` of a model; what is not known is None and left out.

    Times are in seconds. ``reader_window`` is what readers may see during the publication:
    ``none``, ``absent`` or ``mixed``. ``conflict_check`` is ``cas``, ``lock`` or ``none``.
    ``partition_metadata`` is ``tracked``, ``files``, or ``pending`` until the next run tracks them.
    """

    atomicity: str | None = None
    reader_window: str | None = None
    conflict_check: str | None = None
    staging_purpose: str | None = None
    commit_strategy: str | None = None
    partition_metadata: str | None = None
    version: str | None = None
    base_version: str | None = None
    outcome: str | None = None
    bytes: int | None = None
    files: int | None = None
    stage_seconds: float | None = None
    commit_seconds: float | None = None
