"""The way by which an attempt enters the product: the core's own calls, or those of save_as."""

import zlib
from dataclasses import dataclass
from enum import Enum

from contract.cases import Case
from contract.spark_place import SparkPlace
from contract.subjects import Attempt, Subject
from ctas_spark import quoting, save_as
from ctas_spark.catalogs.kinds import Catalogs
from ctas_spark.context import StagingPurpose
from ctas_spark.dataframe.saving import Saving

WITHOUT_DATAFRAMES = ("fakes", "hive_over_thrift")
"""What the names of places begin with in which there are none, and so no save_as."""


class Entry(str, Enum):
    """Which way the cases of a run take."""

    CORE = "core"
    SAVE_AS = "save_as"
    TURNS = "turns"

    def is_by_save_as(self, case: Case) -> bool:
        """Of cases that take turns, each takes the same one in every run."""
        if case.place.startswith(WITHOUT_DATAFRAMES) or self is Entry.CORE:
            return False
        return self is Entry.SAVE_AS or zlib.crc32(str(case).encode()) % 2 == 1


@dataclass(slots=True)
class SavedAttempt(Attempt):
    """A DataFrame on its way to be a table."""

    saving: Saving

    def ready(self) -> Attempt:
        self.saving.stage()
        return self

    def finish(self) -> Attempt:
        self.saving.commit()
        return self


@dataclass(slots=True)
class SavedSubject(Subject):
    """A target whose versions are published by save_as."""

    def begun(self, number: int, purpose: StagingPurpose | None = None) -> Attempt:
        """A DataFrame with the version's rows; its writer asks for what the context asks for."""
        place, content, asked = self.place, self.content(number), self.context(number, purpose)
        assert isinstance(place, SparkPlace)
        assert isinstance(self.run, Catalogs)
        frame = place.spark.sql(content.query)
        writer = save_as(frame, quoting.table(self.target))
        if asked.layout.format_given:
            writer.using(content.file_format)
        writer.atomicity(self.level).option("staging_schema", place.staging_schema)
        writer.option("partition_metadata", asked.partition_metadata)
        if keys := asked.layout.partition_by:
            writer.partitionedBy(*keys)
        for key, value in content.properties.items():
            writer.tableProperty(key, value)
        table = writer._table(asked.purpose)  # noqa: SLF001 (what it was told, read as it reads it)
        assert table.plan.context == asked
        saving = Saving(table, frame)
        saving.begin(self.run)
        return SavedAttempt(place, saving.staged, content, saving)
