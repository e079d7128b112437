"""Versions that nobody may need, of a kind whose every answer is scripted."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ctas_spark.context import TableName
from ctas_spark.retention.rules import KnownVersion, Place, Reason

TARGET = TableName("db", "t")


def known(version: str, place: Place, **also: object) -> KnownVersion:
    """A version, in a directory of its own."""
    return KnownVersion(version, place, f"dir {version}", **also)  # type: ignore[arg-type]


@dataclass
class FakeGarbage:
    """``did`` has the calls that change something, in their order.

    ``left_ms`` and ``ages_ms`` are by version, 0 and very old unless they say otherwise;
    ``shows`` is why a version that was taken may not go; ``fails`` what a call raises, each time or
    ``once``.
    """

    found: list[KnownVersion]
    left_ms: dict[str, int | None] = field(default_factory=dict)
    ages_ms: dict[str, int] = field(default_factory=dict)
    landing: set[str] = field(default_factory=set)
    lived: set[str] = field(default_factory=set)
    lands_before_the_fence: bool = False
    lands_all_the_same: bool = False
    taken_by_others: set[str] = field(default_factory=set)
    shows: dict[str, Reason] = field(default_factory=dict)
    filling: set[str] = field(default_factory=set)
    fails: dict[str, Exception] = field(default_factory=dict)
    once: bool = False
    target: TableName = TARGET
    did: list[str] = field(default_factory=list)

    def versions(self) -> tuple[KnownVersion, ...]:
        return tuple(self.found)

    def left_for_ms(self, version: KnownVersion) -> int | None:
        self._may_fail("left")
        return self.left_ms.get(version.id, 0)

    def age_ms(self, version: KnownVersion) -> int:
        self._may_fail("age")
        return self.ages_ms.get(version.id, 10**12)

    def may_land(self, version: KnownVersion) -> bool:
        self._may_fail("may_land")
        return version.id in self.landing

    def may_have_lived(self, version: KnownVersion) -> bool:
        return version.id in self.lived

    def fence(self) -> None:
        self.did.append("fence")
        if self.lands_before_the_fence:
            self.lived |= self.landing
        if not self.lands_all_the_same:
            self.landing.clear()

    def take(self, version: KnownVersion) -> bool:
        self.did.append(f"take {version.id}")
        return version.id not in self.taken_by_others

    def shown(self, versions: Sequence[KnownVersion]) -> dict[str, Reason]:
        self.did.append(" ".join(["look for", *(one.id for one in versions)]))
        self._may_fail("shown")
        return self.shows

    def give_back(self, version: KnownVersion) -> None:
        self.did.append(f"give back {version.id}")

    def delete_files(self, version: KnownVersion) -> bool:
        self._may_fail("files")
        self.did.append(f"delete files of {version.id}")
        return version.id not in self.filling

    def delete_record(self, version: KnownVersion) -> None:
        self.did.append(f"delete record of {version.id}")

    def _may_fail(self, call: str) -> None:
        if call in self.fails:
            raise self.fails.pop(call) if self.once else self.fails[call]
