"""The catalogs under test, and what each of them is said to reach."""

from collections.abc import Mapping

from contract.subjects import Claim
from dbt.adapters.ctas_spark.staging.catalogs.protocol import ConflictCheck
from dbt.adapters.ctas_spark.staging.context import Atomicity

BOTH = (Atomicity.ISOLATED, Atomicity.NONE)

CLAIMS: Mapping[str, Claim] = {
    "fakes": Claim(ConflictCheck.CAS, BOTH),
    "fakes_with_a_lock": Claim(ConflictCheck.LOCK, BOTH),
    "fakes_unchecked": Claim(ConflictCheck.NONE, (Atomicity.NONE,)),
    "hive_remote": Claim(ConflictCheck.CAS, BOTH),
    "hive_embedded": Claim(ConflictCheck.CAS, BOTH),
}
CHOICES: Mapping[str, tuple[str, ...]] = {
    "fakes": ("fakes", "fakes_with_a_lock", "fakes_unchecked"),
    "hive_remote": ("hive_remote",),
    "hive_embedded": ("hive_embedded",),
}
# One JVM can have one metastore, so the embedded one is asked for by name.
DEFAULT_CHOICES = ("fakes", "hive_remote")
