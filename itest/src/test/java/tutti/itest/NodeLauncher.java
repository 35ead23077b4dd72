package tutti.itest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;

/**
 * Bundle activator that turns its container into a node and writes the node's events to a file, one per line.
 *
 * <p>The bundle contains this class only, so it may use nothing but the JDK and the framework.
 */
public final class NodeLauncher implements BundleActivator {
    /** Framework property with the path of the file. */
    static final String EVENTS = "tutti.itest.events";

    /** Writes the bundle. */
    static Path bundle(final Path jar) throws IOException {
        final Manifest manifest = new Manifest();
        final Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Bundle-ManifestVersion", "2");
        main.putValue("Bundle-SymbolicName", "tutti.itest.launcher");
        main.putValue("Bundle-Activator", NodeLauncher.class.getName());
        main.putValue("Import-Package", "org.osgi.framework");
        final String path = NodeLauncher.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
             var in = NodeLauncher.class.getClassLoader().getResourceAsStream(path)) {
            out.putNextEntry(new JarEntry(path));
            in.transferTo(out);
        }
        return jar;
    }

    @Override
    public void start(final BundleContext context) {
        final Path file = Path.of(context.getProperty(EVENTS));
        final Consumer<String> events = e -> write(file, e);
        context.registerService(Consumer.class, events, FrameworkUtil.asDictionary(Map.of("tutti.launcher", true)));
    }

    private static void write(final Path file, final String event) {
        try {
            Files.write(file, (event + "\n").getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (final IOException e) {
            throw new IllegalStateException("event cannot be written: " + event, e);
        }
    }

    @Override
    public void stop(final BundleContext context) {
        // the framework unregisters the service
    }
}
