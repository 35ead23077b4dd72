package tutti.coll.advanced;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ProviderType;
import tutti.coll.Reduction;

/**
 * A task of a plan that a {@link Worker} carries out: {@code into = from}, or {@code into = from (op) into}, element by element.
 */
@ProviderType
public interface WorkerTask extends ModuleTask {

    /** Returns the data to read, packed and read-only. It may be in the Java heap. Not to be read after the task is complete or cancelled. */
    MemorySegment from();

    /** Returns the memory to write, packed, of the same length; of a reduction also the right operand. Not to be used after the task is complete. */
    MemorySegment into();

    /** Returns the length of both ranges in bytes. */
    long bytes();

    /** Returns the reduction, which has the names of the operation and of the type of the elements; null for a copy. */
    @Nullable
    Reduction reduction();

    /**
     * Carries out a part of the task on the calling thread, by the code of the runtime. For a worker that has threads, but no operations of its own.
     * Does not complete the task. Parts that do not overlap may run at the same time.
     *
     * @param offset first byte of the part within both ranges; of a reduction, a multiple of the size of an element
     * @param length length of the part in bytes; of a reduction, a multiple of the size of an element
     * @throws IndexOutOfBoundsException if the part is not within the ranges
     * @throws IllegalArgumentException if the part cuts an element
     */
    void run(long offset, long length);
}
