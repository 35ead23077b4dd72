package tutti.daemon.child;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;

/**
 * Main class of a JVM that a node starts for the ranks of a job: starts a framework with bundles of the node, and gives the first line of standard
 * input to the service with {@link #SERVICE}. It ends when standard input does: the node holds the other end, and a node that is gone holds it no
 * more. It is loaded from the class path, so it uses the API of OSGi alone.
 *
 * <p>Arguments: the storage folder, the extra system packages, then the locations of the bundles.
 */
public final class ChildMain {
    /** The property of the service that runs the ranks of a job. */
    public static final String SERVICE = "tutti.isolated";
    /** Begins the last line of a JVM that ends itself, with the reason. */
    public static final String ENDS = "tutti: ends: ";
    private static final int STATUS = 1;

    private ChildMain() {}

    /** Runs until standard input ends. */
    public static void main(final String[] args) {
        final PrintStream out = System.out;
        final InputStream in = System.in;
        try {
            final String line = readLine(in);
            Thread.ofPlatform().daemon().name("tutti-node").start(() -> awaitEnd(in));
            serve(ChildContainer.start(args), line);
        } catch (final Exception | LinkageError e) {
            out.println(ENDS + "the container does not start: " + e.toString().lines().findFirst().orElse(""));
            out.flush();
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
