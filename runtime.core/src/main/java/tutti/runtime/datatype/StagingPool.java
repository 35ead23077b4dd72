package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Pool of a few pairs of small arrays, for operands that are not in arrays of the right type. For any thread, without locks.
 *
 * <p>It is not a thread-local: such values would outlive their use on every thread that ever reduced. A thread that finds no pair allocates one.
 *
 * <p><b>Threads.</b> An atomic exchange takes a pair out of the pool or puts it in, and publishes its content. Nobody waits.
 */
final class StagingPool {
    private static final int SLOTS = 8;

    private final AtomicReferenceArray<@Nullable Staging> slots = new AtomicReferenceArray<>(SLOTS);
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

    /** Returns a pair that no other thread uses. */
    Staging take() {
        for (int i = 0; i < SLOTS; i++) {
            final Staging staging = slots.getPlain(i) == null ? null : slots.getAndSet(i, null);
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
            if (slots.getPlain(i) == null && slots.compareAndSet(i, null, staging)) {
                return;
            }
        }
    }

    /** Two arrays and their memory. */
    record Staging(Object in, MemorySegment inMemory, Object inout, MemorySegment inoutMemory) {
    }
}
