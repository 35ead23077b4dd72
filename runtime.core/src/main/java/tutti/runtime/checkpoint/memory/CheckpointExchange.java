package tutti.runtime.checkpoint.memory;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.p2p.PointToPoint;

/**
 * Exchanges of all ranks of a communicator about checkpoints, in one order, by messages that belong to no other operation. For one thread of the
 * rank at a time.
 */
public final class CheckpointExchange {
    /** Longest text about a problem that all ranks get, in bytes. */
    private static final int TEXT = 1024;

    private final CommContext comm;
    /** Number of the last exchange; from 1, since messages to one rank have tags below those of exchange 1. */
    private int steps;

    /** Problem of the first rank that has one, which all ranks know after a step. */
    public record Problem(int rank, String text) {}

    /** Creates the exchanges of a communicator. */
    public CheckpointExchange(final CommContext comm) {
        this.comm = comm;
    }

    /** Returns the communicator. */
    CommContext comm() {
        return comm;
    }

    /** Returns messages to one rank. */
    public PointToPoint messages() {
        return PointToPoint.internal(comm, ContextIds.CHECKPOINTS);
    }

    /** Combines values of all ranks in place. */
    public void combine(final long[] values, final Op op) {
        comm.bootstrap(ContextIds.CHECKPOINTS).allreduce(values, op, ++steps, null).await();
    }

    /**
     * Exchanges what went wrong.
     *
     * @param point   number of the point in the program
     * @param problem that of this rank; null if it has none
     * @return the problem of the first rank that has one; null if none has one
     */
    public @Nullable Problem agree(final long point, final @Nullable String problem) {
        final long[] state = {problem == null ? Long.MAX_VALUE : comm.rank(), point, -point};
        combine(state, Op.MIN);
        if (state[1] != -state[2]) {
            // Cause: a rank has called `Checkpoint.here` more often than another one. Remedy: call it on all ranks equally often.
            throw new MpiFailure(ErrorClass.OTHER, "ranks are at different points: point=" + point + ", least=" + state[1] + ", greatest=" + -state[2]
                + "; all ranks must reach the same points");
        }
        if (state[0] == Long.MAX_VALUE) {
            return null;
        }
        final byte[] text = new byte[TEXT];
        if (problem != null && state[0] == comm.rank()) {
            final byte[] own = problem.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(own, 0, text, 0, Math.min(own.length, text.length));
        }
        final long[] words = new long[TEXT / Long.BYTES];
        MemorySegment.copy(MemorySegment.ofArray(text), 0, MemorySegment.ofArray(words), 0, TEXT);
        combine(words, Op.BOR);
        MemorySegment.copy(MemorySegment.ofArray(words), 0, MemorySegment.ofArray(text), 0, TEXT);
        int length = 0;
        while (length < TEXT && text[length] != 0) {
            length++;
        }
        return new Problem((int) state[0], new String(Arrays.copyOf(text, length), StandardCharsets.UTF_8));
    }
}
