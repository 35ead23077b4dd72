package tutti.runtime.shm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;

/**
 * What a segment of a schedule reserves of its rank's shared memory. Immutable.
 *
 * @param call      signature of the call, equal on all ranks; 0 when calls are not compared
 * @param bytes     length of the memory
 * @param reduction a reduction whose operands are in the memory; null when the schedule has none
 * @param readers   the slots of the ranks that read it
 */
public record SharedReservation(long call, long bytes, @Nullable BoundReduction reduction, RankSlots... readers) {

    /** Returns the type of elements for which memory is allocated; null for none. */
    @Nullable
    Datatype type() {
        return reduction == null ? null : reduction.type();
    }

    /** Allocates memory. */
    MemorySegment allocate() {
        return reduction == null ? MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES))]) : reduction.newMemory(bytes);
    }
}
