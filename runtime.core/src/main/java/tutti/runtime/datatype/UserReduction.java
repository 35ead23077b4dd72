package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;

/**
 * The function of a user-defined operation.
 *
 * <p>It is called on the thread that runs the collective, possibly on several threads at once and several times per call of the collective, each
 * time for a segment of the elements. An exception ends the collective.
 */
@FunctionalInterface
public interface UserReduction {

    /**
     * Computes {@code inout = in op inout}.
     *
     * <p>Both segments are native or backed by a byte array, so {@link MemorySegment#asByteBuffer()} always works, and hold less than 2 GiB.
     * Elements have the type's layout: element 0 is at byte 0, or at {@code -type.first(count)} for a type with data before that.
     *
     * @param in    must not be changed
     * @param inout receives the result
     * @param count number of elements, above 0
     * @param type  the type of the elements
     */
    void apply(MemorySegment in, MemorySegment inout, long count, Datatype type);
}
