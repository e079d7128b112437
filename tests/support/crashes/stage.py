"""Where scenes are set: each real catalog is started once, each fake one is made anew."""

import itertools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from contract.contents import LAYOUTS
from contract.fake_place import FakePlace
from contract.places import Place
from contract.real_places import RealPlaces
from contract.subjects import Subject
from crashes.cases import Case
from crashes.scene import Scene
from crashes.trial import Course, undisturbed
from ctas_spark.context import StagingPurpose, TableName


class Stage:
    """``course`` runs each case undisturbed, once."""

    def __init__(self, directory: Path, open_places: ExitStack) -> None:
        self._real_places = RealPlaces(directory, open_places)
        self._courses: dict[Case, Course] = {}
        self._numbers = itertools.count(1)

    @contextmanager
    def scene(self, case: Case) -> Iterator[Scene]:
        """A target that no other scene has; every run on it ends with the block."""
        place = self._place(case.place)
        target = TableName(place.schema, f"t{next(self._numbers)}", place.catalog)
        purpose = StagingPurpose.CREATE_OR_REPLACE
        layout = LAYOUTS[case.layout]
        subject = Subject(place, place.open_run(), target, purpose, case.level, layout)
        scene = Scene(subject, self._neighbour(subject))
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

    def _neighbour(self, subject: Subject) -> Subject:
        """Another table that was published once; it lives as long as its place."""
        place = subject.place
        target = TableName(place.schema, "neighbour", place.catalog)
        layout = LAYOUTS[place.claim.native_format or "parquet"]
        found = replace(subject, target=target, level=place.claim.levels[0], layout=layout)
        if found.entry() is None:
            found.published(1)
        return found

    def _place(self, name: str) -> Place:
        return FakePlace(name) if name.startswith("fakes") else self._real_places[name]
