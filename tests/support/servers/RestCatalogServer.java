import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.HTTPRequest;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.apache.iceberg.rest.RESTResponse;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.sparkproject.jetty.server.Server;
import org.sparkproject.jetty.servlet.ServletContextHandler;
import org.sparkproject.jetty.servlet.ServletHolder;

/**
 * Arguments: a directory for databases and warehouses, then the kind and the port of each catalog,
 * as in "open:8181". Jetty is the one in Spark's own jar.
 */
public class RestCatalogServer {
    public static void main(String[] arguments) throws Exception {
        try {
            for (int index = 1; index < arguments.length; index++) {
                String[] asked = arguments[index].split(":");
                start(asked[0], Integer.parseInt(asked[1]), arguments[0]);
            }
        } catch (Exception error) {
            error.printStackTrace();
            System.exit(1);  // the threads of those that have started would go on
        }
    }

    private static void start(String kind, int port, String directory) throws Exception {
        JdbcCatalog catalog = switch (kind) {
            case "strict" -> new OneTableALocation();
            case "inside" -> new EachInItsPlace();
            default -> new JdbcCatalog();
        };
        catalog.setConf(new Configuration());
        catalog.initialize("rest", Map.of(
            "uri", "jdbc:sqlite:" + directory + "/" + kind + ".sqlite",
            "warehouse", directory + "/" + kind,
            "jdbc.schema-version", "V1"));
        RESTCatalogAdapter adapter = kind.equals("careless")
            ? new Careless(catalog) : new RESTCatalogAdapter(catalog);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new RESTCatalogServlet(adapter)), "/*");
        Server server = new Server(new InetSocketAddress("127.0.0.1", port));
        server.setHandler(context);
        server.start();
    }

    /** It has its clients make tables whose old metadata files may be deleted. */
    static class Careless extends RESTCatalogAdapter {
        Careless(JdbcCatalog catalog) {
            super(catalog);
        }

        @Override
        protected <T extends RESTResponse> T execute(
                HTTPRequest request,
                Class<T> type,
                Consumer<ErrorResponse> onError,
                Consumer<Map<String, String>> onHeaders) {
            T answer = super.execute(request, type, onError, onHeaders);
            if (answer instanceof ConfigResponse config) {
                return type.cast(ConfigResponse.builder()
                    .withEndpoints(config.endpoints())
                    .withDefaults(config.defaults())
                    .withOverrides(config.overrides())
                    .withDefault("table-default.write.metadata.previous-versions-max", "1")
                    .withOverride("table-override.gc.enabled", "true")
                    .build());
            }
            return answer;
        }
    }

    /** It looks at each new table, and drops one that it refuses. */
    abstract static class Choosy extends JdbcCatalog {
        abstract String problem(TableIdentifier name, Table made);

        @Override
        public Table registerTable(TableIdentifier name, String metadata) {
            return allowed(name, super.registerTable(name, metadata));
        }

        @Override
        public TableBuilder buildTable(TableIdentifier name, Schema schema) {
            TableBuilder builder = super.buildTable(name, schema);
            return (TableBuilder) Proxy.newProxyInstance(
                TableBuilder.class.getClassLoader(),
                new Class<?>[] {TableBuilder.class},
                (proxy, method, arguments) -> {
                    Object made;
                    try {
                        made = method.invoke(builder, arguments);
                    } catch (InvocationTargetException error) {
                        throw error.getCause();
                    }
                    if (method.getName().equals("create")) {
                        return allowed(name, (Table) made);
                    }
                    return made == builder ? proxy : made;
                });
        }

        private Table allowed(TableIdentifier name, Table made) {
            String problem = problem(name, made);
            if (problem != null) {
                dropTable(name, false);
                throw new ForbiddenException("%s %s", name, problem);
            }
            return made;
        }
    }

    /** As some servers do, it refuses a new table where another one says that it lies. */
    static class OneTableALocation extends Choosy {
        @Override
        String problem(TableIdentifier name, Table made) {
            for (Namespace namespace : listNamespaces()) {
                for (TableIdentifier other : listTables(namespace)) {
                    boolean same = loadTable(other).location().equals(made.location());
                    if (same && !other.equals(name)) {
                        return "lies where " + other + " does";
                    }
                }
            }
            return null;
        }
    }

    /** As Polaris does by default: tables lie in their namespace, metadata files in their table. */
    static class EachInItsPlace extends Choosy {
        @Override
        String problem(TableIdentifier name, Table made) {
            if (!made.location().equals(defaultWarehouseLocation(name))) {
                return "lies outside of its namespace";
            }
            String metadata = ((BaseTable) made).operations().current().metadataFileLocation();
            return metadata.startsWith(made.location() + "/")
                ? null : "has metadata outside of its location";
        }
    }
}
