"""A lease as it lies on a storage: what its run writes, and what others conclude from it."""

import json
from dataclasses import asdict, dataclass
from enum import Enum

from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.storage.client import TextStore

EXPIRES_AFTER_MS = 180_000


class LeaseState(str, Enum):
    """What is known of a run.

    ``GIVEN_BACK``: every version of the run is resolved. ``ENDED``: its process is gone, for sure.
    ``EXPIRED`` is a guess: nobody beats, but a paused process may wake up, and has to be fenced.
    """

    LIVING = "living"
    EXPIRED = "expired"
    ENDED = "ended"
    GIVEN_BACK = "given_back"

    @property
    def is_over(self) -> bool:
        """True if the run will do nothing more, for certain."""
        return self in (LeaseState.ENDED, LeaseState.GIVEN_BACK)


@dataclass(frozen=True, slots=True)
class LeaseFile:
    """The content of a lease; ``catalog`` names where its run keeps its records."""

    lease: str
    process: ProcessIdentity
    catalog: str = ""

    def to_text(self) -> str:
        """One line of JSON, which people may read, too."""
        own = {"lease": self.lease, "catalog": self.catalog}
        return json.dumps({**own, **asdict(self.process)})

    @classmethod
    def parse(cls, text: str) -> "LeaseFile":
        """Read a lease; ValueError when the text is none."""
        try:
            read = json.loads(text)
            process = ProcessIdentity(str(read["host"]), int(read["pid"]), float(read["started"]))
            return cls(str(read["lease"]), process, str(read["catalog"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a lease: {text!r}") from error


def state_of(storage: TextStore, directory: str, lease: str, now_ms: int) -> LeaseState:
    """What is known of the run that holds ``lease``.

    Args:
        directory: where the leases of that storage lie.
        now_ms: the storage's time, read by a beat of one's own lease.

    Raises:
        StorageError: it could not be found out, which proves nothing.
    """
    stored = storage.read(f"{directory}/{lease}")
    if stored is None:
        return LeaseState.GIVEN_BACK
    expired = now_ms - stored.modified_ms > EXPIRES_AFTER_MS
    try:
        owner = LeaseFile.parse(stored.text).process
    except ValueError:  # read in the middle of a heartbeat, or cut there by a kill
        return LeaseState.EXPIRED if expired else LeaseState.LIVING
    if owner.has_ended:
        return LeaseState.ENDED
    return LeaseState.EXPIRED if expired else LeaseState.LIVING


def catalog_of(storage: TextStore, directory: str, lease: str) -> str | None:
    """The catalog of the run that holds ``lease``; None if that can't be known any more.

    Raises:
        StorageError: the storage did not answer.
    """
    stored = storage.read(f"{directory}/{lease}")
    if stored is None:
        return None
    try:
        return LeaseFile.parse(stored.text).catalog
    except ValueError:
        return None
