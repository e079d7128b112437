"""A model's own statements, and the settings that end with it."""

from dbt.adapters.ctas_spark.sql_header import Settings, statements


def test_each_statement_runs_by_itself() -> None:
    """A semicolon in a text ends none."""
    assert statements("set a = 'x;y';\nset b = 2;\n") == ["set a = 'x;y'", "set b = 2"]
    assert statements("  \n") == []


def test_what_was_set_is_set_back_and_what_was_not_is_reset() -> None:
    """Other models of the run find the session as it was."""
    session = {"a": "1", "b": "2"}
    ran: list[str] = []

    def run(sql: str) -> list[tuple[str, str]]:
        if sql != "SET":
            ran.append(sql)
        return list(session.items())

    before = Settings.now(run)
    session.update({"a": "9", "c": "3"})
    before.restore()
    assert ran == ["RESET `c`", "SET `a`=1"]
