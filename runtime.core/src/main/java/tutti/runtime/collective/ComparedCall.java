package tutti.runtime.collective;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.canary.CallClass;
import tutti.runtime.canary.RecvUse;
import tutti.runtime.canary.ResultComparison;

/**
 * A call of the program that is compared on one rank. The call owns its memory until it returns, which is after the comparison, or
 * has copies.
 *
 * @param number     number of the call
 * @param in         the class of the call
 * @param use        what the call uses of its receive memory
 * @param comparison compares its results
 * @param send       its send memory; null if it has none
 * @param recv       its receive memory, with the results when the call has run; null if it has none
 * @param before     the inputs in the receive memory before the call; null where there was no memory for that
 * @param nanos      time that the call took, in nanoseconds; 0 before it has run
 * @param <C>        the type of the operation's calls
 */
record ComparedCall<C extends Call>(Operation<C> operation, C call, long number, CallClass in, RecvUse use, ResultComparison comparison,
    @Nullable MemorySegment send, @Nullable MemorySegment recv, @Nullable MemorySegment before, long nanos) {
    /** Most bytes of a buffer of calls that are compared: a comparison needs about four times as many. */
    private static final long MOST_BYTES = 64L << 20;

    /** Chooses a call that is about to run, and keeps its inputs. */
    static <C extends Call> ComparedCall<C> of(final Operation<C> operation, final C call, final long number, final CallClass in, final int rank,
        final int ranks, final @Nullable MemorySegment send, final @Nullable MemorySegment recv) {
        final RecvUse use = RecvUse.of(operation, call, rank);
        final ResultComparison comparison = new ResultComparison(call.reduction(), ranks);
        MemorySegment before = null;
        if (Math.max(use.bytes(), call.sendBytes(rank)) <= MOST_BYTES) {
            try {
                before = comparison.newMemory(use.inputs().end());
                if (recv != null) {
                    use.copyInputs(recv, before);
                }
            } catch (final OutOfMemoryError e) {
                before = null;
            }
        }
        return new ComparedCall<>(operation, call, number, in, use, comparison, send, recv, before, 0);
    }

    /** Returns the call with memory of its own: a copy of its send memory, and memory for its results. Without memory where there is none. */
    ComparedCall<C> copy(final int rank) {
        MemorySegment ownSend = null;
        MemorySegment ownRecv = null;
        MemorySegment inputs = before;
        if (inputs != null) {
            try {
                if (send != null) {
                    final long bytes = call.sendBytes(rank);
                    ownSend = comparison.newMemory(bytes);
                    MemorySegment.copy(send, 0, ownSend, 0, bytes);
                }
                ownRecv = recv == null ? null : comparison.newMemory(use.bytes());
            } catch (final OutOfMemoryError e) {
                inputs = null;
            }
        }
        return new ComparedCall<>(operation, call, number, in, use, comparison, ownSend, ownRecv, inputs, nanos);
    }

    /** Returns the call with the time that it took. */
    ComparedCall<C> took(final long time) {
        return new ComparedCall<>(operation, call, number, in, use, comparison, send, recv, before, time);
    }
}
