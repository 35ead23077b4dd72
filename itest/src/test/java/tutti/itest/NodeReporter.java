package tutti.itest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;

/**
 * Bundle activator that writes the name and the address of its container's node to a file, as one line.
 *
 * <p>The bundle contains this class only, so it may use nothing but the JDK and the framework.
 */
public final class NodeReporter implements BundleActivator {
    /** Framework property with the path of the file. */
    static final String FILE = "tutti.itest.address";
    private static final String NODE = "(tutti.node.address=*)";

    /** Writes the bundle. */
    static Path bundle(final Path jar) throws IOException {
        final Manifest manifest = new Manifest();
        final Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Bundle-ManifestVersion", "2");
        main.putValue("Bundle-SymbolicName", "tutti.itest.reporter");
        main.putValue("Bundle-Activator", NodeReporter.class.getName());
        main.putValue("Import-Package", "org.osgi.framework");
        final String path = NodeReporter.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
             var in = NodeReporter.class.getClassLoader().getResourceAsStream(path)) {
            out.putNextEntry(new JarEntry(path));
            in.transferTo(out);
        }
        return jar;
    }

    @Override
    public void start(final BundleContext context) throws Exception {
        final Path file = Path.of(context.getProperty(FILE));
        context.addServiceListener(e -> write(file, e.getServiceReference()), NODE);
        final ServiceReference<?>[] found = context.getAllServiceReferences(null, NODE);
        if (found != null) {
            write(file, found[0]);
        }
    }

    private static void write(final Path file, final ServiceReference<?> node) {
        try {
            Files.writeString(file, node.getProperty("tutti.node.name") + " " + node.getProperty("tutti.node.address") + "\n");
        } catch (final IOException e) {
            throw new IllegalStateException("address cannot be written: " + file, e);
        }
    }

    @Override
    public void stop(final BundleContext context) {
        // the framework removes the listener
    }
}
