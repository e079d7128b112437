"""How a process shares its Spark: with nobody, unless a package is registered that lets it."""

import threading

import pytest

from ctas_spark.engines import sharing
from ctas_spark.engines.sharing import Sharing
from ctas_spark.warm.attached import ATTACHED
from dbt.adapters.ctas_spark import methods


def test_by_itself_a_process_has_its_own_spark() -> None:
    """There is none to take part in, and nobody from whom a name is held."""
    own = Sharing()
    assert own.session({}, {}, pytest.fail) is None
    with own.alone("shop.orders"), own.alone("shop.orders"):
        own.mark(spark=None)


def test_each_thread_has_a_share_of_the_cores() -> None:
    """It keeps its name, which a later run uses again."""
    own, names = Sharing(), set[str]()
    for _ in range(2):
        thread = threading.Thread(target=lambda: names.update({own.pool, own.pool}))
        thread.start()
        thread.join()
    assert names == {"ctas-spark-0-1", "ctas-spark-0-2"}


def test_runs_of_dbt_share_a_warm_spark() -> None:
    """The adapter registers that."""
    assert methods.METHODS
    assert sharing.registered() is ATTACHED
