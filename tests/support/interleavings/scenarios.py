"""Small casts of processes, each with a table's history, that meet the rules in many orders."""

from dataclasses import dataclass, replace

from .cleaning import Cleaner
from .owner import Does, Owner
from .publishing import Builder, Rollback, Writer, Writes, built, staged
from .rules import Promise, Rules
from .state import Process, World

FORGOTTEN = frozenset({Promise.KEEP_KNOWN})


@dataclass(frozen=True, slots=True)
class Scenario:
    """Who acts, and what was before: in ``history``, by letters.

    b is a build, B one in the second staging schema, d a run that staged and died, w a writer that
    is paused in its call, l one that is paused before it looks, r a rename of the target, and a dot
    is a tick of the clock. The clock ends at ``ticks``. ``excepted`` are promises that the rules do
    not make here.
    """

    name: str
    history: str
    processes: tuple[Process, ...]
    ticks: int
    keep: int = 1
    kills: int = 0
    excepted: frozenset[Promise] = frozenset()

    def under(self, rules: Rules) -> Rules:
        """The rules, with what the scenario keeps."""
        return replace(rules, keep=self.keep)

    def start(self, rules: Rules) -> World:
        """Before the first step."""
        world = World(processes=self.processes, kills=self.kills)
        for one in self.history:
            world = _after(world, one, rules)
        return world


def _after(world: World, happens: str, rules: Rules) -> World:
    if happens == ".":
        return world._replace(now=world.now + 1)
    if happens == "r":
        return world._replace(copy=world.target).showing(None)
    if happens in "dlw":
        world, version = world.started()
        return _paused(staged(world, version), version, happens)
    return built(world, rules, schema=int(happens == "B"))


def _paused(world: World, version: int, happens: str) -> World:
    at = {"d": Writes.END, "l": Writes.LOOK, "w": Writes.CALL}[happens]
    writer = Writer(at=at, version=version, base=world.base, read_at=world.now)
    return world._replace(processes=(*world.processes, writer))


WRITER, OVERWRITER, ROLLBACK = Writer(), Writer(overwrites=True), Rollback()
CLEANER, VACUUM = Cleaner(), Cleaner(vacuum=True)
RENAMES = Owner(3, (Does.AWAY, Does.BACK, Does.DROP))

SCENARIOS = (
    Scenario("two writers", "b.b", (WRITER, OVERWRITER, CLEANER), 6, kills=1),
    Scenario("two overwriting writers", "b.b", (OVERWRITER, OVERWRITER, CLEANER), 5),
    Scenario("a paused writer", "b.b", (WRITER, Builder(1), CLEANER), 7, keep=0),
    Scenario(
        "a rollback and two clean-ups",
        "b.b.b",
        (ROLLBACK, Builder(1), CLEANER, CLEANER),
        6,
        keep=0,
        kills=1,
    ),
    Scenario("two rollbacks", "b.b.b", (ROLLBACK, ROLLBACK, Builder(1), CLEANER), 6, kills=1),
    Scenario("off the lineage", "b.b.b", (ROLLBACK, Builder(3), Cleaner(2)), 6),
    Scenario("many are kept", "b.b.b.b.", (ROLLBACK, Builder(2), CLEANER), 8, keep=4),
    Scenario(
        "dropped and built again",
        "b....",
        (Owner(2, (Does.DROP,)), Builder(2), Cleaner(2)),
        9,
        excepted=FORGOTTEN,
    ),
    Scenario(
        "replaced by another's and built again",
        "b....",
        (Owner(1, (Does.REPLACE,)), Builder(2), Cleaner(2)),
        9,
        excepted=FORGOTTEN,
    ),
    Scenario(
        "renamed under a writer", "b.b", (RENAMES, OVERWRITER, Builder(1), CLEANER), 5, keep=0
    ),
    Scenario(
        "renamed under a rollback", "b.b..", (RENAMES, ROLLBACK, Builder(1), CLEANER), 5, keep=0
    ),
    Scenario(
        "creations", ".", (Owner(1, (Does.DROP,)), OVERWRITER, OVERWRITER, CLEANER), 6, keep=0
    ),
    Scenario("orphans", "bd.b..", (WRITER, Builder(1), CLEANER, CLEANER), 6, kills=1),
    Scenario("an aged rollback", "b.b.b...", (ROLLBACK, CLEANER, Builder(1)), 5, keep=0),
    Scenario(
        "two aged rollbacks",
        "b.b.b...",
        (ROLLBACK, ROLLBACK, CLEANER, Builder(1)),
        5,
        keep=0,
        kills=1,
    ),
    Scenario(
        "an aged renamed table",
        "b.b..",
        (Owner(2, (Does.AWAY, Does.BACK, Does.DROP, Does.DROP_COPY)), CLEANER, Builder(2)),
        6,
        keep=0,
    ),
    Scenario("an aged orphan", "bd...b..", (OVERWRITER, CLEANER, CLEANER), 5, keep=0),
    Scenario(
        "killed in a backlog", "b.b.b.b..", (CLEANER, Builder(1), CLEANER), 8, keep=0, kills=1
    ),
    Scenario("renamed and built again", "b.b.rb....", (CLEANER,), 7),
    Scenario(
        "renamed back in a clean-up", "b.b.rb....", (Owner(2, (Does.DROP, Does.BACK)), CLEANER), 7
    ),
    Scenario(
        "a paused writer of a renamed table",
        "b.w.rb....",
        (Owner(2, (Does.DROP, Does.BACK)), CLEANER),
        7,
    ),
    Scenario(
        "a rollback by name to an orphan",
        "b.d.rb...",
        (Rollback(by_name=True), CLEANER),
        6,
        keep=0,
    ),
    Scenario(
        "a rollback by name after a drop",
        "b.b..",
        (Owner(1, (Does.DROP,)), Builder(2), Rollback(by_name=True), CLEANER),
        6,
        keep=0,
    ),
    Scenario("a paused writer, aged", "bw....", (CLEANER,), 5),
    Scenario("a paused writer, just now", "b....w", (CLEANER,), 8, keep=0),
    Scenario("all are kept", "b.b.b.b....", (ROLLBACK, CLEANER), 8, keep=4),
    Scenario("a fence under a paused writer", "bw....", (VACUUM, Builder(1)), 6, keep=0),
    Scenario("a fence under a writer", "b...", (OVERWRITER, VACUUM, CLEANER), 8, keep=0),
    Scenario("a fence under a rollback", "b.b.b...", (ROLLBACK, VACUUM, Builder(1)), 6, keep=0),
    Scenario("two fences", "bdd....", (VACUUM, VACUUM, Builder(1)), 6, keep=0, kills=1),
    Scenario(
        "a vacuum of a renamed table",
        "b.b...",
        (Owner(2, (Does.AWAY, Does.BACK, Does.DROP)), Cleaner(2, vacuum=True)),
        7,
        keep=0,
    ),
    Scenario(
        "two staging schemas",
        "bB.bB",
        (ROLLBACK, Builder(1, schema=1), Cleaner(2), Cleaner(schema=1)),
        6,
        excepted=FORGOTTEN,
    ),
    Scenario(
        "two staging schemas, aged",
        "bBbB....",
        (Rollback(schema=1), OVERWRITER, Cleaner(), Cleaner(schema=1)),
        6,
        excepted=FORGOTTEN,
    ),
)

RENAMED_BACK_AND_REPLACED = Scenario(
    "renamed back and replaced in a clean-up",
    "b.b.rb....",
    (Owner(2, (Does.DROP, Does.BACK)), Builder(1), CLEANER),
    7,
)
"""The known exception of one rename.

A clean-up has found a version left for long; then the table that shows it comes back under its
name, and is replaced; then nobody shows the version, and its record is what the clean-up has read.
Its readers get no grace, but no table ever shows it without its files.
"""

RENAMED_BACK_AND_AWAY = Scenario(
    "renamed back and away in a vacuum",
    "b.b.r....",
    (Owner(2, (Does.AWAY, Does.BACK)), Cleaner(2, vacuum=True)),
    9,
)
"""Two renames in one running clean-up, of which none can be met.

The target is gone when a clean-up reads it. It comes back before others are asked, and is renamed
again before the target is asked: each is asked while the table has the other name.
"""

RESTORED_DURING_AN_ABORT = Scenario(
    "restored by name during an abort", "b.l.rb...", (Rollback(by_name=True),), 6
)
"""A rollback by name takes a version between two calls of its own writer's abort.

The abort has found that nobody took the version, and is about to remove it. The version's base is
in no lineage any more, so that nothing proves that it was never published.
"""
