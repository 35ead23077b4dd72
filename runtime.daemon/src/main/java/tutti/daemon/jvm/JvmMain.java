package tutti.daemon.jvm;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import tutti.daemon.container.BundleSource;
import tutti.daemon.container.JvmContainer;

/**
 * Main class of a job JVM: starts a framework with bundles of the node, and gives the first line of the file {@link #LINK} to the service with
 * {@link #SERVICE}. It ends when that file does: the node holds the other end, and a node that is gone holds it no more. It is
 * loaded from the class path, so it uses the API of OSGi alone.
 *
 * <p>Arguments: the storage folder, the extra system packages, then the sources of the bundles, {@link BundleSource}.
 */
public final class JvmMain {
    /** The property of the service that runs parts of jobs. */
    public static final String SERVICE = "tutti.jvm";
    /** The file in the storage folder in which a JVM that ends itself tells why: programs and modules may print whatever they want. */
    static final String REASON = "ends";
    /** Descriptor that {@link JvmProcess} has opened. */
    private static final String LINK = "/dev/fd/3";
    private static final int STATUS = 1;

    private JvmMain() {}

    /** Runs until the link to the node ends. */
    public static void main(final String[] args) {
        try {
            // open as long as this JVM runs
            final InputStream in = new FileInputStream(LINK);
            final String line = readLine(in);
            Thread.ofPlatform().daemon().name("tutti-node").start(() -> awaitEnd(in));
            serve(JvmContainer.start(args), line);
        } catch (final Exception | LinkageError e) {
            end(Path.of(args[0]), "the container does not start: " + e.toString().lines().findFirst().orElse(""));
        }
    }

    /** Ends this JVM, whose storage folder is given, because of a reason that the node reports. */
    public static void end(final Path folder, final String reason) {
        try {
            Files.writeString(folder.resolve(REASON), reason);
        } catch (final IOException e) {
            System.err.println(reason + ": " + e);
        } finally {
            Runtime.getRuntime().halt(STATUS);
        }
    }

    private static String readLine(final InputStream in) throws IOException {
        final ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private static void awaitEnd(final InputStream in) {
        try {
            in.transferTo(OutputStream.nullOutputStream());
            end();
        } catch (final IOException e) {
            end();
        }
    }

    /** Ends this JVM and the processes that its programs have started. */
    public static void end() {
        try {
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }

    @SuppressWarnings("unchecked")
    private static void serve(final BundleContext context, final String line) throws Exception {
        final ServiceReference<?>[] found = context.getAllServiceReferences(Consumer.class.getName(), "(" + SERVICE + "=*)");
        if (found == null) {
            throw new IOException("no service " + SERVICE);
        }
        ((Consumer<String>) context.getService(found[0])).accept(line);
    }
}
