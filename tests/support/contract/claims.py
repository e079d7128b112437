"""The catalogs under test, and what each of them is said to reach."""

from collections.abc import Mapping

import pyspark

from contract.places import Claim, Views
from ctas_spark.context import Atomicity
from ctas_spark.publish.catalog import ConflictCheck

EACH = (Atomicity.ISOLATED, Atomicity.ATOMIC, Atomicity.NONE)
WEAK = (Atomicity.ATOMIC, Atomicity.NONE)
WHOLE = (Atomicity.ISOLATED, Atomicity.ATOMIC)
# Spark 3.5 brings Hive 2.3.9, whose server ignores compare-and-swap (HIVE-26882).
SWAPS = not pyspark.__version__.startswith("3.")
CHECK = ConflictCheck.CAS if SWAPS else ConflictCheck.NONE
OF_ICEBERG = Claim(
    ConflictCheck.CAS,
    WHOLE,
    native_format="iceberg",
    replaces_by="publish",
    creates_by="publish",
    views=Views.KEPT,
)

CLAIMS: Mapping[str, Claim] = {
    "fakes": Claim(ConflictCheck.CAS, EACH, tracks=True),
    "fakes_with_a_lock": Claim(ConflictCheck.LOCK, EACH, tracks=True),
    "fakes_with_lock_tables": Claim(ConflictCheck.LOCK, WEAK, tracks=True),
    "fakes_unchecked": Claim(ConflictCheck.NONE, WEAK),
    "fakes_remote": Claim(ConflictCheck.CAS, WEAK, reaches=Atomicity.ISOLATED),
    # A metastore's lock tables are there on one server and not on the other, and so are repeatable
    # reads: without them, what changes a table's shape is not isolated.
    "hive_remote": Claim(CHECK, WEAK, reaches=Atomicity.ISOLATED if SWAPS else None),
    "hive_mariadb": Claim(CHECK, WEAK, reaches=Atomicity.ISOLATED if SWAPS else None),
    "hive_3": Claim(ConflictCheck.NONE, WEAK),
    "hive_4": Claim(ConflictCheck.CAS, WEAK, reaches=Atomicity.ISOLATED),
    "hive_over_connect": Claim(CHECK, WEAK, reaches=Atomicity.ISOLATED if SWAPS else None),
    "hive_over_thrift": Claim(CHECK, WEAK, reaches=Atomicity.ISOLATED if SWAPS else None),
    "hive_postgresql": Claim(
        CHECK if SWAPS else ConflictCheck.LOCK, EACH if SWAPS else WEAK, tracks=True
    ),
    "hive_embedded": Claim(ConflictCheck.CAS if SWAPS else ConflictCheck.LOCK, EACH, tracks=True),
    **dict.fromkeys(("iceberg_hive", "iceberg_jdbc", "iceberg_rest"), OF_ICEBERG),
    "iceberg_session": OF_ICEBERG,
    "iceberg_hadoop": Claim(
        ConflictCheck.CAS,
        (Atomicity.ATOMIC,),
        reaches=Atomicity.ISOLATED,
        copies=True,
        native_format="iceberg",
        replaces_by="publish",
        creates_by="publish",
        views=Views.NEVER,
        rolls_back=False,
        knows_live=False,
    ),
    "delta": Claim(
        ConflictCheck.CAS,
        WHOLE,
        native_format="delta",
        replaces_by="publish",
        drop_takes_staged=True,
        keeps_properties=False,
        held_reads_end=True,
    ),
    "postgresql": Claim(
        ConflictCheck.CAS,
        WHOLE,
        native_format="database",
        creates_by="publish",
        views=Views.KEPT,
        rolls_back=False,
        knows_live=False,
        replaces=False,
        names_winner=False,
    ),
}
CHOICES: Mapping[str, tuple[str, ...]] = {
    "fakes": (
        *("fakes", "fakes_with_a_lock", "fakes_with_lock_tables"),
        *("fakes_unchecked", "fakes_remote"),
    ),
    "hive_remote": ("hive_remote",),
    "hive_over_connect": ("hive_over_connect",),
    "hive_over_thrift": ("hive_over_thrift",),
    "hive_postgresql": ("hive_postgresql",),
    "hive_mariadb": ("hive_mariadb",),
    "hive_3": ("hive_3",),
    "hive_4": ("hive_4",),
    "hive_embedded": ("hive_embedded",),
    "formats": ("iceberg_jdbc", "iceberg_rest", "iceberg_hadoop", "delta"),
    "on_hive": ("iceberg_hive", "iceberg_session"),
    "iceberg_hive": ("iceberg_hive",),
    "iceberg_jdbc": ("iceberg_jdbc",),
    "iceberg_rest": ("iceberg_rest",),
    "iceberg_session": ("iceberg_session",),
    "iceberg_hadoop": ("iceberg_hadoop",),
    "delta": ("delta",),
    "postgresql": ("postgresql",),
}
# One JVM can have one metastore, so the other two are asked for by name.
DEFAULT_CHOICES = ("fakes", "hive_remote")
