package tutti.runtime.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues in which the kernel keeps the parked threads of this process.
 *
 * <p>Linux 6.16 and later give each process its own hash table of futexes, whose size depends on the number of cores: 16 queues on two cores. With
 * thousands of parked threads, each wake-up then searches hundreds of entries: with 8,192 threads it takes four times as long. Other kernels
 * need nothing.
 *
 * <p><b>Threads.</b> Safe for any thread: the lock of this class makes a comparison and the change that follows it one step.
 */
final class WaitQueues {
    private static final Logger LOG = LoggerFactory.getLogger(WaitQueues.class);
    private static final int PR_FUTEX_HASH = 78;
    private static final long SET_SLOTS = 1;
    private static final long GET_SLOTS = 2;
    /** The kernel limits the table by its memory; a process of that many threads has other limits. */
    private static final int MAX_SLOTS = 1 << 16;

    private WaitQueues() {}

    /** Provides queues for a number of threads, where the kernel lets the process choose. Never fails: without it threads only wake up later. */
    static synchronized void reserve(final int threads) {
        final int wanted = Math.min(MAX_SLOTS, Integer.highestOneBit(Math.max(1, 2 * threads - 1)));
        try {
            final int slots = slots();
            if (slots > 0 && slots < wanted) {
                final int result = prctl(SET_SLOTS, wanted);
                LOG.debug("queues of parked threads: before={}, wanted={}, result={}", slots, wanted, result);
            }
        } catch (final Throwable e) {
            LOG.debug("queues of parked threads cannot be set: wanted={}", wanted, e);
        }
    }

    /** Returns the number of queues of this process; 0 when all processes share them, less when the kernel does not tell. */
    static int slots() throws Throwable {
        return prctl(GET_SLOTS, 0);
    }

    @SuppressWarnings("restricted")
    private static int prctl(final long operation, final long slots) throws Throwable {
        final Linker linker = Linker.nativeLinker();
        final Optional<MemorySegment> function = linker.defaultLookup().find("prctl");
        if (function.isEmpty()) {
            return -1;
        }
        final MethodHandle call = linker.downcallHandle(function.get(), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG), Linker.Option.firstVariadicArg(1));
        return (int) call.invokeExact(PR_FUTEX_HASH, operation, slots, 0L, 0L);
    }
}
