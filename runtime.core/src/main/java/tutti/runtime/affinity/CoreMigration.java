package tutti.runtime.affinity;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * Moves the calling thread to another core, on Linux.
 *
 * <p>Two threads that wait for each other may stay on one core for seconds although another core is idle: the system sees one thread that runs and
 * one that has just yielded. The thread that leaves takes its core out of the set of cores on which it may run, and puts it back at once.
 *
 * <p>Looking up the functions of the system takes milliseconds, so a thread of its own does it at the first call. Until then no thread moves, and
 * never where the container denies native access or the system is another one.
 *
 * <p><b>Threads.</b> Safe for any thread.
 */
public final class CoreMigration {
    /** The core of a thread where the system does not tell. */
    public static final int UNKNOWN = -1;

    private static volatile boolean requested;
    private static volatile Optional<CoreMigration> instance = Optional.empty();

    private final ThreadAffinity affinity;

    private CoreMigration(final ThreadAffinity affinity) {
        this.affinity = affinity;
    }

    /** Moves the calling thread to another core on which it may run, if there is one. Returns the core on which it then runs, or {@link #UNKNOWN}. */
    public static int leaveCore() {
        if (!requested) {
            requested = true;
            Thread.ofPlatform().daemon().name("tutti-cores").start(() -> instance = find());
        }
        final CoreMigration found = instance.orElse(null);
        if (found != null && !found.move()) {
            instance = Optional.empty();
        }
        return core();
    }

    /** Returns the core on which the calling thread runs, or {@link #UNKNOWN}. */
    public static int core() {
        final CoreMigration found = instance.orElse(null);
        return found == null ? UNKNOWN : found.currentCore();
    }

    /** Looks up the functions of the system. Empty where there are none, or native access is denied. */
    static Optional<CoreMigration> find() {
        return ThreadAffinity.find().map(CoreMigration::new);
    }

    /** Moves the calling thread to another core. Returns false if the system refuses to tell on which cores the thread may run. */
    boolean move() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment cores = arena.allocate(ThreadAffinity.SET_BYTES);
            final int core = currentCore();
            if (core < 0 || !affinity.get(cores)) {
                return false;
            }
            final long at = core / Byte.SIZE;
            final byte before = cores.get(ValueLayout.JAVA_BYTE, at);
            cores.set(ValueLayout.JAVA_BYTE, at, (byte) (before & ~(1 << core % Byte.SIZE)));
            // refused where the thread may run on this core only
            if (affinity.set(cores)) {
                cores.set(ValueLayout.JAVA_BYTE, at, before);
                return affinity.set(cores);
            }
            return true;
        }
    }

    /** Returns the core on which the calling thread runs; negative when the system does not tell. */
    int currentCore() {
        return affinity.processor();
    }
}
