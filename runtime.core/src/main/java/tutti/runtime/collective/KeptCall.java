package tutti.runtime.collective;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.canary.CallClass;
import tutti.runtime.model.MpiFailure;

/**
 * A nonblocking or persistent call of which the inputs and the results are kept until all ranks are in a blocking call, which compares it. The
 * program may use its own memory as soon as the call is complete.
 *
 * <p><b>Threads.</b> The thread that completes the call writes the results and then the state, which is volatile.
 *
 * @param <C> the type of the operation's calls
 */
final class KeptCall<C extends Call> {
    private enum State { PENDING, COMPLETE, FAILED }

    private final long key;
    private final ComparedCall<C> compared;
    private final long begin = System.nanoTime();
    private long nanos;
    private volatile State state = State.PENDING;

    private KeptCall(final long key, final ComparedCall<C> compared) {
        this.key = key;
        this.compared = compared;
    }

    /**
     * Keeps the inputs of a call that is about to start.
     *
     * @param key tells calls apart, of a persistent one its starts, too
     */
    static <C extends Call> KeptCall<C> of(final long key, final Operation<C> operation, final C call, final long number, final CallClass in,
        final int rank,
        final int ranks, final @Nullable MemorySegment send, final @Nullable MemorySegment recv) {
        return new KeptCall<>(key, ComparedCall.of(operation, call, number, in, rank, ranks, send, recv).copy(rank));
    }

    /** Keeps the results of the call, which has ended. */
    void ended(final @Nullable MemorySegment recv, final @Nullable MpiFailure failure) {
        final MemorySegment results = compared.recv();
        if (failure == null && recv != null && results != null) {
            compared.use().copyResults(recv, results);
        }
        nanos = System.nanoTime() - begin;
        state = failure == null ? State.COMPLETE : State.FAILED;
    }

    long key() {
        return key;
    }

    boolean isComplete() {
        return state == State.COMPLETE;
    }

    boolean isFailed() {
        return state == State.FAILED;
    }

    /** Returns the call with its results; only when it is complete. */
    ComparedCall<C> compared() {
        return compared.took(nanos);
    }
}
