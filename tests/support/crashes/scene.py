"""One target, and the runs that come to it one after another."""

from collections.abc import Mapping
from dataclasses import replace

from contract.contents import LAYOUTS, Layout, Sight
from contract.subjects import Subject
from crashes.points import Act, Point, crash


class Scene:
    """``before`` is a run that lives on; ``doomed`` is the one that is going to crash.

    Beside the target there is ``neighbour``, another table of the product's, which nobody touches.
    """

    def __init__(self, before: Subject, neighbour: Subject) -> None:
        self.before = before
        self._neighbour = neighbour
        self._open = [before.run]
        self._kept: dict[str, Mapping[str, object]] = {}
        self.doomed = self.another()

    def another(self) -> Subject:
        """A new run for the same target."""
        run = self.before.place.open_run()
        self._open.append(run)
        return replace(self.before, run=run)

    def ends(self, subject: Subject) -> None:
        """The subject's run is over."""
        self._open.remove(subject.run)
        subject.run.close()

    def strike(self) -> None:
        """Take the target's entries away: later clean-ups look at every table that there is."""
        self.before.place.forget(self.before.target)

    def close(self) -> None:
        """Every run is over."""
        for run in self._open:
            run.close()

    @property
    def other_keys(self) -> Layout:
        """A layout whose partition keys are not those of the target."""
        layout = self.before.layout
        native = layout.native_format
        if native is not None:
            return LAYOUTS[native if layout.partition_by else f"{native}_partitioned"]
        return LAYOUTS["parquet" if layout.partition_by else "partitioned"]

    def plain(self, layout: Layout, number: int) -> None:
        """A user's own table, whose files stay or go as one."""
        subject = self.before
        subject.place.others.plain(subject.table, layout.name, number)
        directory = subject.existing().directory
        self._kept[directory] = subject.place.files(directory)

    def crashed(self, act: Act, subject: Subject, at: Point) -> None:
        """A run that ends at that point."""
        crash(act, at)
        self.ends(subject)

    def lost(self) -> list[str]:
        """What others lost: a part of a user's own table, or something of the neighbour."""
        place = self.before.place
        kept = self._kept.items()
        lost = [own for own, was in kept if place.files(own) and not self.before.keeps(own, was)]
        whole: Sight = self._neighbour.content(1).whole
        return [*lost, *([] if self._neighbour.sight() == whole else [self._neighbour.table])]


def recover(subject: Subject) -> object:
    """The run-operation ctas_recover."""
    return subject.catalog.recover(subject.context())


def clean_up(subject: Subject) -> object:
    """The end of an invocation, for a project without any patience."""
    return subject.clean_up()


def vacuum(subject: Subject) -> object:
    """The run-operation ctas_vacuum, without any patience."""
    return subject.clean_up(thorough=True, fences=True)
