import java.util.Set;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.catalog.StagingInMemoryTableCatalog;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableInfo;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;

/** What Spark's own catalog for tests, whose last writer wins, is not. */
public class StagingCatalogs {
    /** Refuses to commit a replace over what another has done since it was staged. */
    public static class Isolated extends StagingInMemoryTableCatalog {
        @Override
        public StagedTable stageReplace(Identifier name, TableInfo info) {
            return new Checked(this, name, super.stageReplace(name, info));
        }

        @Override
        public StagedTable stageCreateOrReplace(Identifier name, TableInfo info) {
            return new Checked(this, name, super.stageCreateOrReplace(name, info));
        }

        String state(Identifier name) {
            Table table = tables().get(name);
            return table == null ? "" : table.id() + " " + table.version();
        }
    }

    /** Says that it stages, and drops the live table first, as some connectors do. */
    public static class Eager extends StagingInMemoryTableCatalog {
        @Override
        public StagedTable stageReplace(Identifier name, TableInfo info) {
            dropTable(name);
            return super.stageCreateOrReplace(name, info);
        }

        @Override
        public StagedTable stageCreateOrReplace(Identifier name, TableInfo info) {
            dropTable(name);
            return super.stageCreateOrReplace(name, info);
        }
    }

    private static class Checked implements StagedTable, SupportsWrite {
        private final Isolated catalog;
        private final Identifier identifier;
        private final StagedTable staged;
        private final String seen;

        Checked(Isolated catalog, Identifier identifier, StagedTable staged) {
            this.catalog = catalog;
            this.identifier = identifier;
            this.staged = staged;
            this.seen = catalog.state(identifier);
        }

        @Override
        public void commitStagedChanges() {
            synchronized (catalog) {
                if (!seen.equals(catalog.state(identifier))) {
                    throw new IllegalStateException("another has changed " + identifier);
                }
                staged.commitStagedChanges();
            }
        }

        @Override
        public void abortStagedChanges() {
            staged.abortStagedChanges();
        }

        @Override
        public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
            return ((SupportsWrite) staged).newWriteBuilder(info);
        }

        @Override
        public String name() {
            return staged.name();
        }

        @Override
        public Column[] columns() {
            return staged.columns();
        }

        @Override
        public Set<TableCapability> capabilities() {
            return staged.capabilities();
        }
    }
}
