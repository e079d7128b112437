"""Texts with several statements, and semicolons where Spark takes none."""

import pytest

from dbt.adapters.ctas_spark.statements import (
    bare,
    is_query,
    runs_a_program,
    statements,
    tidy,
    with_aliases,
)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("set a = 'x;y';\nset b = 2;\n", ["set a = 'x;y'", "set b = 2"]),
        ("  \n", []),
        ("-- only a comment; no statement", []),
        ("set a = 1;\n-- why\n", ["set a = 1"]),
        ("set a = 1; -- why\nset b = 2 /* so */;", ["set a = 1", "-- why\nset b = 2"]),
        ("/* what; */ set a = '-- no'", ["/* what; */ set a = '-- no'"]),
        (r"select 'a\\'; select ';\';'", [r"select 'a\\'", r"select ';\';'"]),
        (r"select r'\'; select 1", [r"select r'\'", "select 1"]),
        ('select "a;b", `c;``d`; select 2', ['select "a;b", `c;``d`', "select 2"]),
        ("set a = 1; begin select 1; end;", ["set a = 1", "begin select 1; end"]),
    ],
)
def test_each_statement_runs_by_itself(header: str, expected: list[str]) -> None:
    """A semicolon in a text, a name, a comment or a script ends none."""
    assert statements(header) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select 1 as n;\n-- the end\n", "select 1 as n"),
        ("select '; -- no' as n", "select '; -- no' as n"),
        ("select 1 as n -- so\n;;", "select 1 as n"),
    ],
)
def test_a_query_fits_into_another_without_what_ends_it(query: str, expected: str) -> None:
    """Between brackets a semicolon is an error, and a comment hides the closing one."""
    assert bare(query) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select * from (select 1; -- the end; really\n ;\n/* x */\n) as q where false", " -- the"),
        ("with a as (\nselect 1;\n) select * from a;", "with a as (\nselect 1\n) select * from a"),
        ("select id from t;\n  limit 5", "select id from t\n  limit 5"),
        ("select ';)' as a, (';' )", "select ';)' as a, (';' )"),
        (r"select 'a\\', ';)', (1;)", r"select 'a\\', ';)', (1)"),
        ("begin select 1; select (2); end;", "begin select 1; select (2); end"),
    ],
)
def test_semicolons_go_where_dbt_has_put_a_query_into_another(sql: str, expected: str) -> None:
    """Contracts, snapshots, data tests and ephemeral models do, and each text stays as it is."""
    found = tidy(sql)
    assert expected in found
    assert ";" not in found.replace("';)'", "").replace("';'", "").replace(
        "the end; really", ""
    ) or ("begin" in sql)


def test_nothing_else_is_changed() -> None:
    """Two statements stay two, so that Spark refuses them."""
    sql = "select 1; drop table t"
    assert tidy(sql) is sql


def test_what_spark_computes_when_it_is_fetched_is_a_query() -> None:
    """Commands run at once."""
    queries = ("-- a\n select 1", "/* b */ ((select 1))", "WITH a as (select 1) select 1", "from t")
    assert all(map(is_query, queries))
    commands = ("insert into t select 1", "selected", "set a = select", "-- select\n drop table t")
    assert not any(map(is_query, commands))


@pytest.mark.parametrize(
    "sql",
    [
        "select transform (a) using 'cat' as (b) from t",
        "from t map a using r'rm -rf'",
        "select java_method('java.lang.System', 'exit', 1)",
        "select `reflect` ('a', 'b'), system.builtin.TRY_REFLECT('a')",
        "select Identifier(concat('java_', lower('METHOD'))) /* of */ ('java.lang.System', 'exit')",
    ],
)
def test_a_query_that_runs_a_program_is_known(sql: str) -> None:
    """A preview refuses it: nobody knows what the program does."""
    assert runs_a_program(sql)


def test_a_query_that_only_looks_like_one_is_not() -> None:
    """A function of arrays, columns of these names, joins, and texts."""
    for sql in (
        "select transform(array(1), x -> x + 1), reflect from t join u using (id)",
        "select 'reflect(', -- using 'x'\n 1",
        "select identifier('a'), (select max(b)) from identifier('t') where (a) in (1)",
    ):
        assert not runs_a_program(sql)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select orders.id from {}", "select orders.id from {} AS `orders`"),
        ("select * from {} where a", "select * from {} AS `orders` where a"),
        ("from (select 1 from {}) x", "from (select 1 from {} AS `orders`) x"),
        ("select 1 from a, {} JOIN b", "select 1 from a, {} AS `orders` JOIN b"),
        ("select o.id from {} as o join {} x", "select o.id from {} as o join {} x"),
        ("select {}.id, '{}' from t", "select {}.id, '{}' from t"),
        ("refresh table {}", "refresh table {}"),
    ],
)
def test_a_view_of_a_generated_name_is_called_as_its_table(sql: str, expected: str) -> None:
    """Unless the query has a name for it: then a second one would be an error."""
    name = "global_temp.`orders__temporary_0a1b2c3d`"
    made = with_aliases(sql.replace("{}", name), {name: "orders"})
    assert made == expected.replace("{}", name)
