package tutti.runtime.lifecycle;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
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
    /** The size of a set of cores: one bit for each of 1,024 cores. */
    private static final int SET_BYTES = 128;

    /** The core of a thread where the system does not tell. */
    public static final int UNKNOWN = -1;

    private static volatile boolean requested;
    private static volatile Optional<CoreMigration> instance = Optional.empty();

    private final MethodHandle getAffinity;
    private final MethodHandle setAffinity;
    private final MethodHandle getCore;

    private CoreMigration(final MethodHandle getAffinity, final MethodHandle setAffinity, final MethodHandle getCore) {
        this.getAffinity = getAffinity;
        this.setAffinity = setAffinity;
        this.getCore = getCore;
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
    @SuppressWarnings("restricted") // called only where the container permits it
    static Optional<CoreMigration> find() {
        if (!CoreMigration.class.getModule().isNativeAccessEnabled()) {
            return Optional.empty();
        }
        final Linker linker;
        try {
            linker = Linker.nativeLinker();
        } catch (final UnsupportedOperationException e) {
            return Optional.empty();
        }
        final SymbolLookup symbols = linker.defaultLookup();
        final FunctionDescriptor affinity =
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
        final Optional<MemorySegment> get = symbols.find("sched_getaffinity");
        final Optional<MemorySegment> set = symbols.find("sched_setaffinity");
        final Optional<MemorySegment> core = symbols.find("sched_getcpu");
        return get.isEmpty() || set.isEmpty() || core.isEmpty() ? Optional.empty()
            : Optional.of(new CoreMigration(linker.downcallHandle(get.get(), affinity), linker.downcallHandle(set.get(), affinity),
                linker.downcallHandle(core.get(), FunctionDescriptor.of(ValueLayout.JAVA_INT))));
    }

    /** Moves the calling thread to another core. Returns false if the system refuses to tell on which cores the thread may run. */
    boolean move() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment cores = arena.allocate(SET_BYTES);
            final int core = currentCore();
            if (core < 0 || (int) getAffinity.invokeExact(0, (long) SET_BYTES, cores) < 0) {
                return false;
            }
            final long at = core / Byte.SIZE;
            final byte before = cores.get(ValueLayout.JAVA_BYTE, at);
            cores.set(ValueLayout.JAVA_BYTE, at, (byte) (before & ~(1 << core % Byte.SIZE)));
            // refused where the thread may run on this core only
            if ((int) setAffinity.invokeExact(0, (long) SET_BYTES, cores) == 0) {
                cores.set(ValueLayout.JAVA_BYTE, at, before);
                return (int) setAffinity.invokeExact(0, (long) SET_BYTES, cores) == 0;
            }
            return true;
        } catch (final Throwable e) {
            throw new IllegalStateException("a function of the system cannot be called: " + e, e);
        }
    }

    /** Returns the core on which the calling thread runs; negative when the system does not tell. */
    int currentCore() {
        try {
            return (int) getCore.invokeExact();
        } catch (final Throwable e) {
            throw new IllegalStateException("a function of the system cannot be called: " + e, e);
        }
    }
}
