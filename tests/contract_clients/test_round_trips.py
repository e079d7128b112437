"""What a call of the client in Spark's JVM costs: commands that py4j sends and waits for."""

import threading
from collections.abc import Callable

import pytest
from py4j.java_gateway import GatewayClient

from contract_clients.places import KEYS, unused
from contract_clients.server_place import ServerPlace
from ctas_spark.metastore.client import EntryChange, Expectation

COMMIT = "ctas_spark_commit"
ONE_CALL = 4
Counted = Callable[[Callable[[], object]], int]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """Counts the commands of this thread; another one releases what Python has dropped."""
    send, here = GatewayClient.send_command, threading.get_ident()
    sent: list[str] = []

    def counting(self: object, command: str, *arguments: object, **options: object) -> object:
        if threading.get_ident() == here:
            sent.append(command)
        return send(self, command, *arguments, **options)

    def count(call: Callable[[], object]) -> int:
        call()  # looks the classes up
        sent.clear()
        call()
        return len(sent)

    monkeypatch.setattr(GatewayClient, "send_command", counting)
    return count


def test_reading_an_entry(in_jvm: ServerPlace, counted: Counted) -> None:
    """An entry is read in five, however many fields it has."""
    made = in_jvm.new(columns=tuple((f"c{at}", "int") for at in range(200)))
    assert counted(lambda: in_jvm.client.get_table(made.name)) == ONE_CALL


def test_changing_an_entry(in_jvm: ServerPlace, counted: Counted) -> None:
    """An entry is changed in five, its precondition included, however many properties it has."""
    base = in_jvm.new(parameters={COMMIT: "c1"})
    change = EntryChange(
        base.name, base, base, {f"p{at}": "v" for at in range(200)} | {COMMIT: "c1"}
    )
    expected = Expectation(COMMIT, "c1")
    assert counted(lambda: in_jvm.client.alter_table(change, expected)) == ONE_CALL


def test_creating_an_entry(in_jvm: ServerPlace, counted: Counted) -> None:
    """An entry is created in five."""
    staged = in_jvm.new()

    def create() -> None:
        in_jvm.client.create_table(EntryChange(unused(in_jvm), staged, None, {}))

    assert counted(create) == ONE_CALL


def test_reading_partitions(in_jvm: ServerPlace, counted: Counted) -> None:
    """A table's partitions are read in five, however many they are."""
    made = in_jvm.partitioned(*((str(at), "x") for at in range(50)))
    assert len(made.partition_keys) == len(KEYS)
    assert counted(lambda: in_jvm.client.partitions(made.name)) == ONE_CALL
