package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;

/**
 * An operation that the program defines.
 *
 * <p>Called on the thread that runs the collective, possibly on several threads at once and several times per call of the collective,
 * each time for a piece of the elements. What it throws ends the collective.
 */
@FunctionalInterface
public interface UserReduction {

    /**
     * Computes {@code inout = in op inout}.
     *
     * <p>Both segments are native or backed by a byte array, so {@link MemorySegment#asByteBuffer()} always works, and hold less than
     * 2 GiB. Elements lie as the type says: element 0 at byte 0, or at {@code -type.first(count)} for a type with data before that.
     *
     * @param in    must not be changed
     * @param inout gets the result
     * @param count elements, above 0
     * @param type  their type
     */
    void apply(MemorySegment in, MemorySegment inout, long count, Datatype type);
}
