"""The purposes table of the protocol, cell by cell."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

import pytest

from contract.contents import Sight
from contract.places import Claim, Entry, Views
from contract.subjects import Attempt, Subject, logged
from ctas_spark.context import StagingPurpose
from ctas_spark.errors import (
    ConcurrentWriteError,
    NoSuchTableError,
    StagingError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.version import Outcome

OLD, OURS, THEIRS = 1, 2, 3


class AtBegin(Enum):
    """What is in the target's place when the attempt begins."""

    ABSENT = "absent"
    TABLE = "exists"
    PLAIN = "plain"
    VIEW = "view"


TABLES = (AtBegin.TABLE, AtBegin.PLAIN)


class Meanwhile(Enum):
    """What another does between our begin and our commit."""

    NOTHING = "alone"
    CREATES = "created_by_another"
    DROPS = "dropped_by_another"
    RECREATES = "dropped_and_created_by_another"


class After(Enum):
    """The writer whose version the target holds at the end."""

    OURS = "ours"
    THEIRS = "theirs"
    OLD = "old"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: a purpose, what happens around it, how it ends."""

    purpose: StagingPurpose
    at_begin: AtBegin
    meanwhile: Meanwhile
    after: After
    error: type[StagingError] | None = None
    before_the_job: bool = False
    says: str = ""

    @property
    def replaces(self) -> bool:
        """True if there is a table that the attempt is to replace."""
        return self.at_begin in TABLES and self.purpose.may_replace

    @property
    def name(self) -> str:
        """What happens around the purpose."""
        return f"{self.at_begin.value}-{self.meanwhile.value}"


def _of(purpose: StagingPurpose, *cells: tuple[object, ...]) -> tuple[Cell, ...]:
    return tuple(Cell(purpose, *cell) for cell in cells)  # type: ignore[arg-type]


CELLS = (
    *_of(
        StagingPurpose.CREATE,
        (AtBegin.TABLE, Meanwhile.NOTHING, After.OLD, TableAlreadyExistsError, True),
        (AtBegin.PLAIN, Meanwhile.NOTHING, After.OLD, TableAlreadyExistsError, True),
        (AtBegin.VIEW, Meanwhile.NOTHING, After.OLD, TableAlreadyExistsError, True),
        (AtBegin.ABSENT, Meanwhile.NOTHING, After.OURS),
        (AtBegin.ABSENT, Meanwhile.CREATES, After.THEIRS, TableAlreadyExistsError),
    ),
    *_of(
        StagingPurpose.CREATE_IF_NOT_EXISTS,
        (AtBegin.TABLE, Meanwhile.NOTHING, After.OLD, None, True),
        (AtBegin.PLAIN, Meanwhile.NOTHING, After.OLD, None, True),
        (AtBegin.VIEW, Meanwhile.NOTHING, After.OLD, TableAlreadyExistsError, True),
        (AtBegin.ABSENT, Meanwhile.NOTHING, After.OURS),
        (AtBegin.ABSENT, Meanwhile.CREATES, After.THEIRS, None, False, "that table is kept"),
    ),
    *_of(
        StagingPurpose.REPLACE,
        (AtBegin.TABLE, Meanwhile.NOTHING, After.OURS),
        (AtBegin.PLAIN, Meanwhile.NOTHING, After.OURS),
        (AtBegin.ABSENT, Meanwhile.NOTHING, After.NOTHING, NoSuchTableError, True),
        (AtBegin.TABLE, Meanwhile.CREATES, After.THEIRS, ConcurrentWriteError),
        (AtBegin.PLAIN, Meanwhile.CREATES, After.THEIRS, ConcurrentWriteError),
        (AtBegin.TABLE, Meanwhile.RECREATES, After.THEIRS, ConcurrentWriteError),
        (AtBegin.TABLE, Meanwhile.DROPS, After.NOTHING, NoSuchTableError),
        (AtBegin.PLAIN, Meanwhile.DROPS, After.NOTHING, NoSuchTableError),
    ),
    *_of(
        StagingPurpose.CREATE_OR_REPLACE,
        (AtBegin.TABLE, Meanwhile.NOTHING, After.OURS),
        (AtBegin.PLAIN, Meanwhile.NOTHING, After.OURS),
        (AtBegin.ABSENT, Meanwhile.NOTHING, After.OURS),
        (AtBegin.ABSENT, Meanwhile.CREATES, After.THEIRS, ConcurrentWriteError),
        (AtBegin.TABLE, Meanwhile.CREATES, After.THEIRS, ConcurrentWriteError),
        (AtBegin.PLAIN, Meanwhile.CREATES, After.THEIRS, ConcurrentWriteError),
        (AtBegin.TABLE, Meanwhile.RECREATES, After.THEIRS, ConcurrentWriteError),
        (AtBegin.TABLE, Meanwhile.DROPS, After.OURS, None, False, "dropped by another"),
        (AtBegin.PLAIN, Meanwhile.DROPS, After.OURS, None, False, "dropped by another"),
    ),
)


def cells_of(claim: Claim) -> Iterator[Cell]:
    """The table as it is for a catalog: what was staged may have gone with a dropped target."""
    for cell in CELLS:
        if cell.at_begin is AtBegin.VIEW and claim.views is Views.NEVER:
            continue
        if cell.replaces and not claim.replaces:
            continue
        gone = (
            cell.at_begin in TABLES
            and cell.meanwhile is Meanwhile.DROPS
            and cell.after is After.OURS
        )
        if claim.drop_takes_staged and gone:
            yield replace(cell, after=After.NOTHING, error=ConcurrentWriteError, says="")
        else:
            yield cell


def cell_behaviour(cell: Cell) -> Callable[[Subject], None]:
    """The cell as a function of a subject, like every other behaviour."""
    return partial(holds, cell=cell)


def holds(subject: Subject, cell: Cell) -> None:
    """The cell of the purposes table: its error or success, what is left, and what the log says."""
    before, records = _set_up(subject, cell), subject.place.records()
    theirs = subject.rival(THEIRS) if cell.meanwhile is Meanwhile.CREATES else None
    with logged() as lines:
        if cell.before_the_job:
            _ends_at_begin(subject, cell)
            assert subject.place.records() == records
        else:
            ours = subject.ready(OURS)
            _let_another(subject, cell, theirs)
            _ends_at_the_commit(cell, ours)
            _check_version(subject, cell, ours)
    _check_target(subject, cell, before)
    assert cell.says in "\n".join(lines)


def _set_up(subject: Subject, cell: Cell) -> Entry | None:
    if cell.at_begin is AtBegin.TABLE:
        subject.published(OLD)
    if cell.at_begin is AtBegin.PLAIN:
        subject.place.others.plain(subject.table, subject.layout.name, OLD)
    if cell.at_begin is AtBegin.VIEW:
        subject.place.others.view(subject.table)
    return subject.entry()


def _ends_at_begin(subject: Subject, cell: Cell) -> None:
    if cell.error is None:
        assert subject.begun(OURS).staged.outcome is Outcome.KEPT
        return
    with pytest.raises(cell.error):
        subject.begun(OURS)


def _ends_at_the_commit(cell: Cell, ours: Attempt) -> None:
    if cell.error is None:
        ours.finish() if cell.after is After.OURS else ours.staged.commit()
        return
    with pytest.raises(cell.error):
        ours.staged.commit()
    ours.staged.abort("refused")


def _let_another(subject: Subject, cell: Cell, theirs: str | None) -> None:
    others = subject.place.others
    if cell.meanwhile in (Meanwhile.DROPS, Meanwhile.RECREATES):
        others.drop(subject.table)
    if cell.meanwhile is Meanwhile.RECREATES:
        theirs = subject.rival(THEIRS)
    if theirs is not None:
        others.commit(theirs)


def _check_target(subject: Subject, cell: Cell, before: Entry | None) -> None:
    if cell.after is After.OLD:
        assert subject.entry() == before
    else:
        assert subject.sight() == _expected(subject, cell)


def _expected(subject: Subject, cell: Cell) -> Sight | None:
    if cell.after is After.NOTHING:
        return None
    return subject.content(OURS if cell.after is After.OURS else THEIRS).whole


def _check_version(subject: Subject, cell: Cell, ours: Attempt) -> None:
    """What is not published leaves nothing behind."""
    if cell.after is After.OURS:
        assert ours.staged.outcome is Outcome.COMMITTED
        return
    kept = Outcome.KEPT if cell.error is None else Outcome.NOT_COMMITTED
    assert ours.staged.outcome is kept
    assert subject.left_of(ours) == []
