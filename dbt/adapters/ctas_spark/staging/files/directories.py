"""Where the versions of tables lie.

The dash can't occur in a table name of the session catalog, so no plain table's directory
contains ``ctas-spark``.
"""

import threading

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.files.staging_id import StagingId
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.retention.rules import MovedMetastore
from dbt.adapters.ctas_spark.staging.storage.client import Storage

FOLDER = "ctas-spark"


class VersionRoots:
    """The directories of the versions of one staging schema; safe to share between threads.

    A root is ``<schema location or location_root>/ctas-spark/<staging id>/<database.table>``, and
    its tree is what lies above the table.
    """

    def __init__(
        self, metastore: MetastoreClient, storage: Storage, address: str, staging_schema: str
    ) -> None:
        self._metastore = metastore
        self._staging_id = StagingId(metastore, storage, address, staging_schema)
        self._guard = threading.Lock()
        self._locations: dict[str, str] = {}

    def root_of(self, context: StagingContext) -> str:
        """The root to stage in; from then on its tree has the file with the staging id.

        Raises:
            NoSuchSchemaError: the target's schema does not exist.
            StorageError, MetastoreError: it could not be written or read.
        """
        return f"{self._staging_id.claim(self._folder(context))}/{_key(context.target)}"

    def known(self, context: StagingContext) -> tuple[str, ...]:
        """The roots that versions may lie in by the present configuration; nothing is written."""
        folder, key = self._folder(context), _key(context.target)
        return tuple(f"{folder}/{name}/{key}" for name in self._staging_id.names())

    def owns(self, root: str, target: TableName) -> bool:
        """True if the root is one of the target's here: the address before it does not count."""
        *_, folder, staging_id, key = ("", "", *root.rstrip("/").split("/"))
        is_ours = folder == FOLDER and staging_id in self._staging_id.names()
        return is_ours and key == _key(target)

    def may_delete(self, root: str) -> bool:
        """True if the tree's file has the address of this metastore."""
        return self._staging_id.owns_tree(root.rstrip("/").rpartition("/")[0])

    def moved(self, context: StagingContext, what: MovedMetastore) -> None:
        """Follow what the user says of a tree whose file has another address."""
        if what is MovedMetastore.SAME:
            self._staging_id.is_same(self._folder(context))
        else:
            self._staging_id.is_clone(self._folder(context))

    def _folder(self, context: StagingContext) -> str:
        parent = context.layout.location_root or self._location(context.target)
        return f"{parent.rstrip('/')}/{FOLDER}"

    def _location(self, target: TableName) -> str:
        with self._guard:
            known = self._locations.get(target.database)
        found = known or self._metastore.database_location(target.database)
        if found is None:
            raise messages.no_such_schema(target)
        with self._guard:
            self._locations[target.database] = found
        return found


def _key(target: TableName) -> str:
    return f"{target.database}.{target.table}".lower()
