import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryFileIO;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SupportsPrefixOperations;
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

    /** An object store, of which no file system of Hadoop's knows. */
    public static class Store extends InMemoryFileIO implements SupportsPrefixOperations {
        private static final Map<String, Long> WRITTEN = new ConcurrentHashMap<>();

        @Override
        public OutputFile newOutputFile(String path) {
            WRITTEN.put(path, System.currentTimeMillis());
            return super.newOutputFile(path);
        }

        @Override
        public void deleteFile(String path) {
            if (fileExists(path)) {
                super.deleteFile(path);
            }
        }

        @Override
        public Iterable<FileInfo> listPrefix(String prefix) {
            return below(prefix).stream()
                .map(path -> new FileInfo(path, newInputFile(path).getLength(), WRITTEN.get(path)))
                .toList();
        }

        @Override
        public void deletePrefix(String prefix) {
            below(prefix).forEach(this::deleteFile);
        }

        private List<String> below(String prefix) {
            return WRITTEN.keySet().stream()
                .filter(path -> path.startsWith(prefix) && fileExists(path))
                .toList();
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
