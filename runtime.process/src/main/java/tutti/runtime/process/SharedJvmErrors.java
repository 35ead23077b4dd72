package tutti.runtime.process;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes errors of a program that it has because ranks share their JVM, and names the remedy. Types are compared by name: that loads no class.
 *
 * <p><b>Threads.</b> Safe for any thread: the number of ranks is atomic and orders nothing else.
 */
final class SharedJvmErrors {
    /** The line that names the remedy. */
    static final String REMEDY = "tutti: ranks of this node share a JVM: start the job with --ranks-per-jvm 1";

    private static final List<Kind> KINDS = List.of(new Kind("java.nio.channels.OverlappingFileLockException", ""),
        new Kind("java.lang.UnsatisfiedLinkError", "already loaded in another classloader"), new Kind("java.sql.SQLException", "No suitable driver"),
        new Kind("java.lang.Error", "factory already defined"), new Kind("java.net.SocketException", "factory already defined"),
        new Kind("javax.management.InstanceAlreadyExistsException", ""), new Kind("java.rmi.server.ExportException", "ObjID already in use"));
    private static final AtomicInteger RANKS = new AtomicInteger();

    private SharedJvmErrors() {}

    /**
     * Kind of an error.
     *
     * @param type name of its class, or of a superclass
     * @param text part of its message
     */
    private record Kind(String type, String text) {
        boolean isOf(final Throwable thrown) {
            for (Class<?> at = thrown.getClass(); at != null; at = at.getSuperclass()) {
                if (at.getName().equals(type)) {
                    return text.isEmpty() || thrown.getMessage() instanceof final String message && message.contains(text);
                }
            }
            return false;
        }
    }

    /** Notifies that a rank was created in this JVM. */
    static void created() {
        RANKS.incrementAndGet();
    }

    /** Returns the stack trace of an error of a program, and the remedy if the error follows from a JVM that ranks share. */
    static String describe(final Throwable thrown) {
        final boolean isShared = RANKS.get() > 1 && !OneRankJvm.isBegun();
        return StackText.of(thrown) + (isShared && isKnown(thrown) ? "\n" + REMEDY : "");
    }

    /** Returns whether an error or one of its causes is of a known kind. */
    static boolean isKnown(final Throwable thrown) {
        final Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        @Nullable
        Throwable at = thrown;
        try {
            while (at != null && seen.add(at)) {
                final Throwable cause = at;
                if (KINDS.stream().anyMatch(k -> k.isOf(cause))) {
                    return true;
                }
                at = at.getCause();
            }
        } catch (final RuntimeException | LinkageError e) {
            // code of the program, which failed
            return false;
        }
        return false;
    }
}
