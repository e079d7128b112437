"""How long versions stay, and why one does; the words that every kind of table shares."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from ..clock import HOUR_MS, ORPHAN_AGE_MS, SECOND_MS
from ..errors import StorageError
from ..quoting import sql_type


class Place(Enum):
    """What a version is to its target; derived from the target each time."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    UNPUBLISHED = "unpublished"


class MovedMetastore(str, Enum):
    """What a user says of a metastore whose address is not the one in the tree of versions.

    It is the SAME one under a new address, or a CLONE of another, which still owns the versions.
    """

    SAME = "same"
    CLONE = "clone"


@dataclass(frozen=True, slots=True)
class RetentionRules:
    """How long versions stay; times in milliseconds of the storage's clock.

    ``versions_to_keep`` counts superseded ones. ``grace_ms`` runs from when the publication after a
    version had landed. ``fences``: give a target a fresh commit id, so that an old
    attempt over what it shows now can't land any more. ``thorough`` (``ctas_vacuum`` only): look
    through every table that may be listed for one that lies in a version, and free the files of
    managed tables that versions took over.
    """

    versions_to_keep: int = 1
    grace_ms: int = HOUR_MS
    orphan_age_ms: int = ORPHAN_AGE_MS
    fences: bool = False
    thorough: bool = False
    moved: MovedMetastore | None = None

    def of_vacuum(
        self, *, older_than: int | None, fence: bool | None, metastore: str | None
    ) -> "RetentionRules":
        """A table's rules, with the thorough search that only ``ctas_vacuum`` makes.

        ``older_than``, in seconds, replaces both the grace period and the orphan age.
        """
        moved = None if metastore is None else MovedMetastore(metastore)
        rules = replace(self, thorough=True, fences=bool(fence), moved=moved)
        if older_than is None:
            return rules
        age_ms = older_than * SECOND_MS
        return replace(rules, grace_ms=age_ms, orphan_age_ms=age_ms)


class Reason(str, Enum):
    """Why a version stays."""

    LIVE = "it is the table"
    KEPT = "a rollback can return to it"
    GRACE = "readers that resolved it may still finish"
    YOUNG = "it is so recent that its run may still be at work"
    MAY_LAND = "its writer may still publish it: the table has not changed since it began"
    EXPECTED = "its writer may still publish it over a table that has not changed since it began"
    REFERENCED = "a table or partition still shows it"
    NOT_LEFT = "no later publication of the table is known, so it may be in use"
    ABANDONED = "no model builds the table, which still shows it: to free all of it, drop the table"
    GONE = "the table is gone, or is another writer's: only ctas_vacuum deletes what it left"
    UNSEARCHED = "a database could not be searched for tables that show it"
    FOREIGN = "its directory belongs to a metastore at another address"
    UNREACHABLE = "the storage that it lies on can't be looked at"
    TAKEN = "another process took it meanwhile"
    FULL = "new files keep appearing in its directory while it is deleted"
    NATIVE = "its snapshots expire by the format's own rules"
    NEEDED = "a snapshot that is kept still needs its files"
    FORGOTTEN = "the table's history no longer reaches back to where it began"


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """One version of a target that there still is, as its kind found it.

    ``directory`` is what goes with it, in words. ``is_deleting``: a clean-up has taken its record
    before. ``stays``: why it stays whatever the rules say.
    ``handle`` is the kind's own.
    """

    id: str
    place: Place
    directory: str
    is_deleting: bool = False
    stays: Reason | None = None
    handle: object = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Sweep:
    """What became of each version; ``freed`` are directories or entries.

    ``taken_over`` are the directories of managed tables that versions replaced. ``failed`` says of
    versions, by their ids, what the storage has refused.
    """

    freed: list[str] = field(default_factory=list)
    taken_over: list[str] = field(default_factory=list)
    kept: dict[str, Reason] = field(default_factory=dict)
    failed: dict[str, StorageError] = field(default_factory=dict)

    def add(self, other: "Sweep") -> None:
        """Add what became of other versions."""
        self.freed += [one for one in other.freed if one not in self.freed]
        self.taken_over += other.taken_over
        self.kept |= other.kept
        self.failed |= other.failed

    def require_all(self) -> None:
        """Raise what the storage has refused for one of the versions, if it refused any."""
        for error in self.failed.values():
            raise error

    def note(self, version: KnownVersion, reason: Reason | None) -> None:
        """It stays for ``reason``, or it went."""
        if reason is None:
            self.freed.append(version.directory)
        else:
            self.kept[version.id] = reason


@dataclass(frozen=True, slots=True)
class Event:
    """One publication; ``rows`` and ``bytes`` are None where nobody counted them.

    A rollback has the version of a build, and a ``commit`` of its own. ``state`` is that of the
    version: ``live`` (only of the last publication of it), ``kept``, ``deleted``, ``unproven``
    where nothing shows whether it was ever published, or ``last published`` where a table does not
    show which version it is. ``schema_change`` compares with
    the publication before, as far as both are known. ``changed_in_place``: statements have added or
    replaced rows of this version since, so ``rows`` and ``bytes`` are not what it holds now.
    """

    version: str
    commit: str
    time: str
    kind: str
    state: str
    rows: int | None = None
    bytes: int | None = None
    schema_change: str = ""
    changed_in_place: bool = False


def change_of(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """What changed between columns, in the signs of a preview.

    ``+ added type``, ``- removed type``, ``name: old -> new``.

    Args:
        old: type by name.
        new: type by name.
    """
    before, after = ({name: sql_type(one[name]) for name in one} for one in (old, new))
    added = [f"+ {name} {kind}" for name, kind in after.items() if name not in before]
    removed = [f"- {name} {kind}" for name, kind in before.items() if name not in after]
    changed = [
        f"{name}: {before[name]} -> {kind}"
        for name, kind in after.items()
        if name in before and before[name] != kind
    ]
    return ", ".join([*added, *removed, *changed])
