import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.jdbc.JdbcCatalog;

/** Catalogs of Iceberg's that nobody knows by their class, as a company has its own. */
public class OwnCatalogs {
    /** Compares and swaps, as the one that it is made of. */
    public static class Sound extends JdbcCatalog {}

    /** Commits over whatever is there. */
    public static class Unchecked extends JdbcCatalog {
        @Override
        protected TableOperations newTableOps(TableIdentifier name) {
            return new Overwriting(super.newTableOps(name));
        }
    }

    private static class Overwriting implements TableOperations {
        private final TableOperations table;

        Overwriting(TableOperations table) {
            this.table = table;
        }

        @Override
        public void commit(TableMetadata base, TableMetadata made) {
            table.commit(base == null ? null : table.refresh(), made);
        }

        @Override
        public TableMetadata current() {
            return table.current();
        }

        @Override
        public TableMetadata refresh() {
            return table.refresh();
        }

        @Override
        public FileIO io() {
            return table.io();
        }

        @Override
        public String metadataFileLocation(String file) {
            return table.metadataFileLocation(file);
        }

        @Override
        public LocationProvider locationProvider() {
            return table.locationProvider();
        }
    }
}
