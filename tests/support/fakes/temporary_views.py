"""A Spark session that has nothing but global temporary views, and the frames that make them."""

from types import SimpleNamespace

from pyspark.errors import AnalysisException


class FakeFrame:
    """A DataFrame that can become a view of the session."""

    def __init__(self, views: dict[str, "FakeFrame"]) -> None:
        self._views = views

    def createGlobalTempView(self, name: str) -> None:  # noqa: N802 (Spark's name)
        if name in self._views:
            raise AnalysisException("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS")
        self._views[name] = self

    def createOrReplaceGlobalTempView(self, name: str) -> None:  # noqa: N802 (Spark's name)
        self._views[name] = self


class FakeSession:
    """Sessions of one Spark share ``views``, by their quoted names."""

    def __init__(self, uuid: str = "one", views: dict[str, FakeFrame] | None = None) -> None:
        self.views: dict[str, FakeFrame] = {} if views is None else views
        self.statements: list[str] = []
        self.sql = self.statements.append
        self.conf = SimpleNamespace(get=lambda _: "global_temp")
        self.sparkContext = SimpleNamespace(_jsc="running")
        catalog = SimpleNamespace(dropGlobalTempView=lambda name: self.views.pop(f"`{name}`", None))
        state = SimpleNamespace(catalog=lambda: catalog)
        self._jsparkSession = SimpleNamespace(sessionUUID=lambda: uuid, sessionState=lambda: state)

    def frame(self) -> FakeFrame:
        """Some rows."""
        return FakeFrame(self.views)
