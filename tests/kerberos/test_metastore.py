"""A Hive metastore lets in who has a ticket, and what is said there is encrypted."""

import pytest

from ctas_spark.context import TableName
from ctas_spark.engines.thrift.channel import KERBEROS, LDAP, Access, Login
from ctas_spark.errors import MetastoreError
from ctas_spark.metastore.client import EntryChange
from ctas_spark.metastore.connections import ThriftMetastore
from servers.kerberized import SERVICE

BY_TICKET = Access(Login(KERBEROS, kerberos_service_name=SERVICE))
NAME = TableName("default", "probed")


def refusal_of(uri: str, access: Access) -> str:
    """Why there is no answer."""
    with pytest.raises(MetastoreError) as caught:
        ThriftMetastore(uri, access=access).databases()
    return str(caught.value)


@pytest.mark.usefixtures("ticket")
def test_a_ticket_lets_in(metastore: str) -> None:
    """A table is created, compared and swapped, read and dropped."""
    store = ThriftMetastore(metastore, access=BY_TICKET)
    store.create_table(EntryChange.of(store.scratch_entry(NAME), {"number": "1"}))
    entry = store.get_table(NAME)
    assert entry is not None
    assert entry.parameters["number"] == "1"
    assert store.compares_and_swaps(entry, "number")
    store.drop_entry(NAME)
    assert store.get_table(NAME) is None


def test_without_a_ticket_nobody_is_let_in(metastore: str, no_ticket: str) -> None:
    """Kerberos' own words say why."""
    assert no_ticket in refusal_of(metastore, BY_TICKET)


@pytest.mark.usefixtures("ticket")
@pytest.mark.parametrize(
    ("login", "said"),
    [
        (Login(KERBEROS, kerberos_service_name="spork"), "not found in Kerberos database"),
        (Login(LDAP, "ann", "open barley"), "refused the login: Unsupported mechanism type PLAIN"),
    ],
)
def test_another_login_is_refused(metastore: str, login: Login, said: str) -> None:
    """The error says by whom."""
    assert said in refusal_of(metastore, Access(login))
