"""Where scenes are set: each real catalog is started once, each fake one is made anew."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from contract.contents import LAYOUTS
from contract.fake_place import FakePlace
from contract.hive_place import embedded, in_memory, postgresql, remote
from contract.places import Place
from contract.subjects import Subject
from crashes.cases import Case
from crashes.scene import Scene
from crashes.trial import Course, undisturbed
from dbt.adapters.ctas_spark.staging.context import StagingPurpose, TableName

REAL: Mapping[str, Callable[[Path], AbstractContextManager[Place]]] = {
    "hive_remote": remote,
    "hive_postgresql": postgresql,
    "hive_embedded": embedded,
    "in_memory": in_memory,
}


class Stage:
    """``course`` runs each case undisturbed, once."""

    def __init__(self, directory: Path, open_places: ExitStack) -> None:
        self._directory = directory
        self._open_places = open_places
        self._places: dict[str, Place] = {}
        self._courses: dict[Case, Course] = {}
        self._numbers = itertools.count(1)

    @contextmanager
    def scene(self, case: Case) -> Iterator[Scene]:
        """A target that no other scene has; every run on it ends with the block."""
        place = self._place(case.place)
        target = TableName(place.schema, f"t{next(self._numbers)}")
        purpose = StagingPurpose.CREATE_OR_REPLACE
        layout = LAYOUTS[case.layout]
        subject = Subject(place, place.open_run(), target, purpose, case.level, layout)
        scene = Scene(subject)
        try:
            yield scene
        finally:
            scene.strike()
            scene.close()

    def course(self, case: Case) -> Course:
        """What the case comes by if nothing crashes."""
        if case not in self._courses:
            with self.scene(case) as scene:
                self._courses[case] = undisturbed(scene, case.scenario)
        return self._courses[case]

    def _place(self, name: str) -> Place:
        if name not in REAL:
            return FakePlace(name)
        if name not in self._places:
            opened = REAL[name](self._directory / name)
            self._places[name] = self._open_places.enter_context(opened)
        return self._places[name]
