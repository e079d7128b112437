"""The project's ``catalogs.yml``: names by which models ask for a Spark catalog."""

from functools import cached_property
from typing import Any

from dbt_common.exceptions import DbtRuntimeError

from ctas_spark.catalogs.kinds import ICEBERG
from ctas_spark.catalogs.settings import SETTINGS
from ctas_spark.errors import NoSuchCatalogError, ProfileError
from dbt.adapters.catalogs import CatalogIntegration  # type: ignore[attr-defined]  # no __all__
from dbt.config.catalogs import get_active_write_integration, load_catalogs

IN_SPARK = ("external_volume", "file_format", "adapter_properties")


class SparkCatalog(CatalogIntegration):
    """An integration with the name of a Spark catalog, which chooses format and storage."""

    catalog_type = "spark"
    allows_writes = True

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        settings = f"{SETTINGS}{config.catalog_name} in spark_conf of the profile"
        problems = [
            f"{name} has no effect here; in Spark it is set by {settings}"
            for name in IN_SPARK
            if getattr(config, name, None)
        ]
        if getattr(config, "catalog_database", None):  # since dbt-core 1.12
            problems.append(
                "catalog_database has no effect here; a model's database is its Spark catalog"
            )
        if (config.table_format or ICEBERG).lower() != ICEBERG:
            problems.append(f"table_format is {ICEBERG}, or left out; models set file_format")
        if problems:
            named = [f"catalogs.yml: {config.name}: {problem}" for problem in problems]
            raise DbtRuntimeError(str(ProfileError.of(named)))


class CatalogsFile:
    """Read when the first node asks; some of dbt's commands read the file, but not all."""

    def __init__(self, config: Any) -> None:
        self._config = config

    def catalog_of(self, node: Any) -> str | None:
        """The Spark catalog of a node with ``catalog_name``.

        Raises:
            NoSuchCatalogError: the file does not have that name.
        """
        name = node.config.get("catalog_name") if node and node.config else None
        if name is None or name in self._catalogs:
            return self._catalogs[name] if name else None
        raise NoSuchCatalogError(
            f"catalog_name {name} of {node.name} is not in catalogs.yml of the project",
            left="nothing was started",
            remedy="add it there"
            + (f", or use one of {', '.join(self._catalogs)}" if self._catalogs else ""),
        )

    @cached_property
    def _catalogs(self) -> dict[str, str]:
        """The Spark catalog for each name."""
        of = self._config
        found = load_catalogs(of.project_root, of.project_name, of.cli_vars)
        active = filter(None, map(get_active_write_integration, found))
        return {one.name: str(one.catalog_name) for one in active}
