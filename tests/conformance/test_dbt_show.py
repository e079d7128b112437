"""dbt show, with Spark's own words for an error of syntax."""

from dbt.tests.adapter.dbt_show.test_dbt_show import BaseShowDoesNotHandleDoubleLimit

from conformance.suite import inherit


class TestShowDoesNotHandleDoubleLimit(BaseShowDoesNotHandleDoubleLimit):
    # PARSE_SYNTAX_ERROR, as far as pytest's short form of the error shows it
    DATABASE_ERROR_MESSAGE = "PARSE_SYN"


inherit(globals(), "dbt_show")
