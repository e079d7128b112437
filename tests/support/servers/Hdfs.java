import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.key.KeyProvider;
import org.apache.hadoop.crypto.key.KeyProviderFactory;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** DIRECTORY FILE: a name node and a data node with core-site.xml's settings; FILE gets the address. */
public class Hdfs {
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]), address = Path.of(arguments[1]);
        Configuration settings = new Configuration();
        String keys = settings.get("hadoop.security.key.provider.path");
        KeyProvider provider = KeyProviderFactory.get(new URI(keys), settings);
        provider.createKey("key", new KeyProvider.Options(settings));
        provider.flush();
        var cluster = new MiniDFSCluster.Builder(settings, directory.toFile()).build();
        cluster.waitActive();
        Path part = Path.of(address + ".part");
        Files.writeString(part, cluster.getFileSystem().getUri().toString());
        Files.move(part, address);
        while (System.in.read() >= 0) {}
        cluster.shutdown();
        System.exit(0);
    }
}
