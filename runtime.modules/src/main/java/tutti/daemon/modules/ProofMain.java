package tutti.daemon.modules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import tutti.daemon.container.JvmContainer;

/**
 * Main class of the process in which a module is proved before it is installed: starts a framework with the bundles of the node and runs its
 * proof. It is loaded from the class path, so it uses the API of OSGi alone.
 *
 * <p>Arguments: the storage folder, the extra system packages, then the sources of the bundles. Adds lines to file {@link #RESULT} in that folder,
 * since the module may print: the steps, then {@link #PROVED} or {@link #REFUSED} and the reason. Without that line the module has ended the process.
 */
final class ProofMain {
    /** The property of the service that proves; of the class that has it, the constant alone is used here. */
    private static final String SERVICE = ModuleStore.PROOF;
    /** Name of the module's file in the folder. */
    static final String MODULE = "module.jar";
    /** The file with the result. */
    static final String RESULT = "result";
    /** Begins the line that names the step that follows. */
    static final String STEP = "step ";
    /** The line for a module that may be installed. */
    static final String PROVED = "proved";
    /** Begins the line for a module that may not be installed. */
    static final String REFUSED = "refused ";
    /** Begins the line of a container that does not start. */
    static final String FAILED = "failed ";
    /** Most threads of the process. */
    private static final int MAX_THREADS = 1_000;
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int STATUS = 1;

    private ProofMain() {}

    /** Proves a module and ends the JVM. */
    public static void main(final String[] args) {
        final Path folder = Path.of(args[0]);
        Thread.ofPlatform().daemon().name("proof-watch").start(() -> watch(folder));
        try {
            final String reason = prove(JvmContainer.start(args), folder);
            end(folder, reason == null ? PROVED : REFUSED + reason, 0);
        } catch (final Exception | LinkageError e) {
            end(folder, FAILED + e.toString().lines().findFirst().orElse(""), STATUS);
        }
    }

    private static void end(final Path folder, final String line, final int status) {
        try {
            add(folder, line);
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }

    private static void add(final Path folder, final String line) {
        try {
            Files.writeString(folder.resolve(RESULT), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (final IOException e) {
            throw new UncheckedIOException("result of the proof cannot be written", e);
        }
    }

    /** Runs the proof of the node's bundle, as a service of the JDK's types; returns why the module is refused, or null. */
    @SuppressWarnings("unchecked")
    private static String prove(final BundleContext context, final Path folder) throws Exception {
        final ServiceReference<?>[] found = context.getAllServiceReferences(BiFunction.class.getName(), "(" + SERVICE + "=*)");
        if (found == null) {
            throw new IOException("no proof service");
        }
        return ((BiFunction<Path, Consumer<String>, String>) context.getService(found[0])).apply(folder.resolve(MODULE),
            step -> add(folder, STEP + step));
    }

    /** Ends the process when it has too many threads. */
    private static void watch(final Path folder) {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        while (all.activeCount() <= MAX_THREADS) {
            LockSupport.parkNanos(WATCH_NANOS);
        }
        end(folder, REFUSED + "too many threads: max=" + MAX_THREADS, STATUS);
    }
}
