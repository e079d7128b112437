"""A model's own statements, and the settings that end with it."""

from dbt.adapters.ctas_spark.sql_header import Settings, statements


def test_each_statement_runs_by_itself() -> None:
    """A semicolon in a text ends none."""
    assert statements("set a = 'x;y';\nset b = 2;\n") == ["set a = 'x;y'", "set b = 2"]
    assert statements("  \n") == []


def test_what_was_set_is_set_back_and_what_was_not_is_reset() -> None:
    """What other models set meanwhile, in the session that they share, stays."""
    session = {"a.b": "1"}
    ran: list[str] = []

    def run(sql: str) -> list[tuple[str, str]]:
        name = sql.split("`")[1]
        if "=" in sql or sql.startswith("RESET"):
            ran.append(sql)
        return [(name, session.get(name, "<undefined>"))]

    before = Settings.before(["set a.b = 9", "Set `c`=3", "create temporary view v"], run)
    session.update({"a.b": "9", "c": "3", "another.models": "x"})
    before.restore()
    assert ran == ["SET `a.b`=1", "RESET `c`"]
