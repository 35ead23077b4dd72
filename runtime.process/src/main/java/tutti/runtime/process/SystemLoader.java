package tutti.runtime.process;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.URL;
import java.util.Enumeration;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.process.jdk.JdkAccess;
import tutti.runtime.process.jdk.ThreadGroups;

/**
 * The system class loader of a JVM that runs one rank: finds what the rank's loader finds, and otherwise what the class path of the JVM has. Code of
 * the JDK and threads of the common pool find the classes of the program by it. Parallel capable.
 *
 * <p>It replaces the loader of the class path when the rank is created. {@code -Djava.system.class.loader} would set it when the JVM starts, but such
 * a JVM does not use an archive of linked classes. Native code that calls {@code FindClass} on a thread without Java frames does not find it.
 */
final class SystemLoader extends ClassLoader {
    private static final Logger LOG = LoggerFactory.getLogger(SystemLoader.class);
    private static final String FIELD = "scl";
    /** The loader of the class path of this JVM. */
    private static final ClassLoader APPLICATION = ClassLoader.getSystemClassLoader();

    static {
        registerAsParallelCapable();
    }

    private final RankLoader rank;

    /** Creates a loader that is not that of the JVM yet. */
    SystemLoader(final RankLoader rank) {
        super("rank", APPLICATION);
        this.rank = rank;
    }

    /** Returns the loader of the class path of this JVM, which also finds all classes of the JDK. */
    static ClassLoader application() {
        return APPLICATION;
    }

    /** Makes the classes of a rank those of the system class loader, where the JVM grants {@link JdkAccess}. */
    static void install(final RankLoader rank) {
        if (!JdkAccess.isGranted()) {
            // Cause: the node was started by a launcher that changes the options of job JVMs. Remedy: start the node with the option that the message
            // names.
            LOG.warn("classes of the program are not those of the system class loader: the JVM was started without {}", JdkAccess.OPTION);
            return;
        }
        try {
            JdkAccess.open(Object.class.getModule(), "java.lang", SystemLoader.class.getModule());
            final VarHandle field = MethodHandles.privateLookupIn(ClassLoader.class, MethodHandles.lookup())
                .findStaticVarHandle(ClassLoader.class, FIELD, ClassLoader.class);
            final SystemLoader made = new SystemLoader(rank);
            field.setVolatile((ClassLoader) made);
            // workers that the runtime has used before
            ThreadGroups.threads(ThreadGroups.root()).stream()
                .filter(t -> t instanceof final ForkJoinWorkerThread w && w.getPool() == ForkJoinPool.commonPool())
                .filter(t -> t.getContextClassLoader() == APPLICATION).forEach(t -> t.setContextClassLoader(made));
        } catch (final ReflectiveOperationException | RuntimeException e) {
            // Cause: the JDK is none that the runtime knows; a rank that has a JVM of its own finds its classes by its own loader alone. Remedy: JDK
            // 25 of OpenJDK.
            LOG.warn("classes of the program are not those of the system class loader: this JDK has other members", e);
        }
    }

    /** Returns the loader of the rank. */
    RankLoader rank() {
        return rank;
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        try {
            return rank.loadClass(name, resolve);
        } catch (final ClassNotFoundException e) {
            return super.loadClass(name, resolve);
        }
    }

    @Override
    public @Nullable URL getResource(final String name) {
        final URL found = rank.getResource(name);
        return found == null ? super.getResource(name) : found;
    }

    @Override
    public Enumeration<URL> getResources(final String name) throws IOException {
        final Enumeration<URL> found = rank.getResources(name);
        return found.hasMoreElements() ? found : super.getResources(name);
    }
}
