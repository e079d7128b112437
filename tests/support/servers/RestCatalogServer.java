import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.sparkproject.jetty.server.Server;
import org.sparkproject.jetty.servlet.ServletContextHandler;
import org.sparkproject.jetty.servlet.ServletHolder;

/**
 * Arguments: port, JDBC URL, warehouse, and "strict" for one table a location.
 * Jetty is the one in Spark's own jar.
 */
public class RestCatalogServer {
    public static void main(String[] arguments) throws Exception {
        boolean strict = arguments.length > 3 && arguments[3].equals("strict");
        JdbcCatalog catalog = strict ? new OneTableALocation() : new JdbcCatalog();
        catalog.setConf(new Configuration());
        catalog.initialize("rest", Map.of(
            "uri", arguments[1], "warehouse", arguments[2], "jdbc.schema-version", "V1"));
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(
            new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(catalog))), "/*");
        Server server = new Server(
            new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
        server.setHandler(context);
        server.start();
        server.join();
    }

    /** As some servers do, it refuses a new table where another one says that it lies. */
    static class OneTableALocation extends JdbcCatalog {
        @Override
        public Table registerTable(TableIdentifier name, String metadata) {
            return alone(name, super.registerTable(name, metadata));
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
                        return alone(name, (Table) made);
                    }
                    return made == builder ? proxy : made;
                });
        }

        private Table alone(TableIdentifier name, Table made) {
            for (Namespace namespace : listNamespaces()) {
                for (TableIdentifier other : listTables(namespace)) {
                    boolean same = loadTable(other).location().equals(made.location());
                    if (same && !other.equals(name)) {
                        dropTable(name, false);
                        throw new ForbiddenException("%s lies where %s does", name, other);
                    }
                }
            }
            return made;
        }
    }
}
