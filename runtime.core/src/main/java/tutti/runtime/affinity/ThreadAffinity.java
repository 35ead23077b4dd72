package tutti.runtime.affinity;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;
import java.util.Optional;

/**
 * The functions of Linux for the processors on which the calling thread may run. A set of processors has a bit for each.
 *
 * <p>Safe for any thread.
 */
final class ThreadAffinity {
    /** The size of a set: one bit for each of 1,024 processors. */
    static final int SET_BYTES = 128;

    private final MethodHandle getAffinity;
    private final MethodHandle setAffinity;
    private final MethodHandle getProcessor;

    private ThreadAffinity(final MethodHandle getAffinity, final MethodHandle setAffinity, final MethodHandle getProcessor) {
        this.getAffinity = getAffinity;
        this.setAffinity = setAffinity;
        this.getProcessor = getProcessor;
    }

    /** Looks up the functions of the system, which takes milliseconds. Empty where there are none, or native access is denied. */
    @SuppressWarnings("restricted") // called only where the container permits it
    static Optional<ThreadAffinity> find() {
        if (!ThreadAffinity.class.getModule().isNativeAccessEnabled()) {
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
        final Optional<MemorySegment> processor = symbols.find("sched_getcpu");
        return get.isEmpty() || set.isEmpty() || processor.isEmpty() ? Optional.empty()
            : Optional.of(new ThreadAffinity(linker.downcallHandle(get.get(), affinity), linker.downcallHandle(set.get(), affinity),
                linker.downcallHandle(processor.get(), FunctionDescriptor.of(ValueLayout.JAVA_INT))));
    }

    /** Reads the set of the calling thread; returns whether the system told it. */
    boolean get(final MemorySegment processors) {
        try {
            return (int) getAffinity.invokeExact(0, (long) SET_BYTES, processors) >= 0;
        } catch (final Throwable e) {
            throw unusable(e);
        }
    }

    /** Replaces the set of the calling thread; returns whether the system accepted it. Threads that the thread starts inherit the set. */
    boolean set(final MemorySegment processors) {
        try {
            return (int) setAffinity.invokeExact(0, (long) SET_BYTES, processors) == 0;
        } catch (final Throwable e) {
            throw unusable(e);
        }
    }

    /** Returns the set of the calling thread; empty if the system does not tell. */
    BitSet processors() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment set = arena.allocate(SET_BYTES);
            return get(set) ? BitSet.valueOf(set.asByteBuffer()) : new BitSet();
        }
    }

    /** Replaces the set of the calling thread; returns whether the system accepted it. */
    boolean set(final BitSet processors) {
        try (Arena arena = Arena.ofConfined()) {
            final byte[] bytes = processors.toByteArray();
            final MemorySegment set = arena.allocate(SET_BYTES);
            MemorySegment.copy(bytes, 0, set, ValueLayout.JAVA_BYTE, 0, bytes.length);
            return set(set);
        }
    }

    /** Returns the processor on which the calling thread runs; negative when the system does not tell. */
    int processor() {
        try {
            return (int) getProcessor.invokeExact();
        } catch (final Throwable e) {
            throw unusable(e);
        }
    }

    private static IllegalStateException unusable(final Throwable cause) {
        return new IllegalStateException("a function of the system cannot be called: " + cause, cause);
    }
}
