"""A profile as dbt takes it, without a file."""

from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials


def credentials(**fields: object) -> CtasSparkCredentials:
    """A profile, taken the way dbt takes it."""
    data = CtasSparkCredentials.translate_aliases({"schema": "shop", **fields})
    CtasSparkCredentials.validate(data)
    return CtasSparkCredentials.from_dict(data)
