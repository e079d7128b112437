"""A node's own statements, and the settings that end with it."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JNetworkError

from dbt.adapters.ctas_spark.settings import NodeSettings, statements


class Session:
    """Spark's settings, which only SET and RESET change."""

    def __init__(self, **values: str) -> None:
        self.values = values
        self.has_ended = False

    def sql(self, statement: str) -> Any:
        if self.has_ended:
            raise Py4JNetworkError
        found = re.match(r"(RESET|SET) `(.*?)`(?:=(.*))?$", statement)
        assert found is not None
        word, name, value = found.groups()
        if word == "RESET":
            del self.values[name]
        elif value is not None:
            self.values[name] = value
        row = name, self.values.get(name, "<undefined>")
        return SimpleNamespace(collect=lambda: [row])


def test_each_statement_runs_by_itself() -> None:
    """A semicolon in a text ends none."""
    assert statements("set a = 'x;y';\nset b = 2;\n") == ["set a = 'x;y'", "set b = 2"]
    assert statements("  \n") == []


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("/* {dbt: yes} */\n set `a-b`=1", "a-b"),
        ("-- why\nSET a.b.c = x y", "a.b.c"),
        ("reset a", "a"),
        ("set time zone 'UTC'", "spark.sql.session.timeZone"),
    ],
)
def test_what_a_node_set_is_set_back(sql: str, name: str) -> None:
    """In every way that Spark's SQL has; what it did not have is unset again."""
    for before in ({name: "old"}, {}):
        session, node = Session(**before), NodeSettings()
        node.note(session, sql)
        session.values[name] = "new"
        node.restore()
        assert session.values == before


@pytest.mark.parametrize(
    "sql", ["set a", "set var x = 1", "select 1", "/* a */ select 1 /* b */ set c = 1", "/**/" * 99]
)
def test_other_statements_are_left_alone(sql: str) -> None:
    """Even what begins with SET may only show a setting."""
    node = NodeSettings()
    node.note(SimpleNamespace(), sql)
    node.restore()


def test_a_setting_stays_while_another_node_needs_it() -> None:
    """Its old value comes back with the end of the last node that has set it."""
    session = Session(a="old", theirs="x")
    first, second = NodeSettings(), NodeSettings()
    for number, node in enumerate((first, second)):
        node.note(session, "set a = b")
        session.values["a"] = f"by {number}"
    first.restore()
    assert session.values == {"a": "by 1", "theirs": "x"}
    second.restore()
    assert session.values == {"a": "old", "theirs": "x"}


def test_an_ended_spark_has_no_settings_to_set_back() -> None:
    """The model's own error is the one to tell."""
    session, node = Session(a="old"), NodeSettings()
    node.note(session, "set a = b")
    session.has_ended = True
    node.restore()
