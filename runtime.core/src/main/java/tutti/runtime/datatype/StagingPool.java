package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Pool of a few pairs of small arrays, for operands that are not in arrays of the right type. For any thread, without locks.
 *
 * <p>It is not a thread-local: such values would outlive their use on every thread that ever reduced. A thread that finds no pair allocates one.
 * Threads look in different places first, which are in different cache lines: two ranks that reduce at the same time would else wait for each other's
 * caches.
 *
 * <p><b>Threads.</b> An atomic exchange takes a pair out of the pool or puts it in, and publishes its content. Nobody waits.
 */
final class StagingPool {
    private static final int SLOTS = 8;
    /** Distance of two places in the array: at least a cache line. */
    private static final int STRIDE = 32;

    private final AtomicReferenceArray<@Nullable Staging> slots = new AtomicReferenceArray<>(SLOTS * STRIDE);
    private final ReductionKernel kernel;
    private final int length;

    StagingPool(final ReductionKernel kernel, final int length) {
        this.kernel = kernel;
        this.length = length;
    }

    /** Returns the number of entries of each array. */
    int length() {
        return length;
    }

    /** Returns where the calling thread looks at its {@code i}-th try. */
    private static int place(final int i) {
        return (int) (Thread.currentThread().threadId() + i & SLOTS - 1) * STRIDE;
    }

    /** Returns a pair that no other thread uses. */
    Staging take() {
        for (int i = 0; i < SLOTS; i++) {
            final int place = place(i);
            final Staging staging = slots.getPlain(place) == null ? null : slots.getAndSet(place, null);
            if (staging != null) {
                return staging;
            }
        }
        final Object in = kernel.newArray(length);
        final Object inout = kernel.newArray(length);
        return new Staging(in, kernel.segment(in), inout, kernel.segment(inout));
    }

    /** Returns a pair to the pool; it is left to the garbage collector when the pool is full. */
    void release(final Staging staging) {
        for (int i = 0; i < SLOTS; i++) {
            final int place = place(i);
            if (slots.getPlain(place) == null && slots.compareAndSet(place, null, staging)) {
                return;
            }
        }
    }

    /** Two arrays and their memory. */
    record Staging(Object in, MemorySegment inMemory, Object inout, MemorySegment inoutMemory) {
    }
}
