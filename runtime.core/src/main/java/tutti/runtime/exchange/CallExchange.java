package tutti.runtime.exchange;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.Request;

/**
 * The exchange of numbers among the ranks of a call that succeeds on all of them or on none. A rank whose arguments are wrong, or which lacks what
 * the call needs, takes part, so that no other one waits for it, and the call fails on all ranks. For one thread.
 */
public final class CallExchange {
    private static final ErrorClass[] CLASSES = ErrorClass.values();

    private final Communicator comm;
    private final Consumer<Request> wait;

    /**
     * Creates the exchange of a call.
     *
     * @param comm the communicator of the call's own messages
     * @param wait waits for a step
     */
    public CallExchange(final Communicator comm, final Consumer<Request> wait) {
        this.comm = comm;
        this.wait = wait;
    }

    /** Creates the exchange of a call that blocks. */
    public CallExchange(final Communicator comm) {
        this(comm, Request::await);
    }

    /** Returns the communicator. */
    public Communicator comm() {
        return comm;
    }

    /** Waits for a step. */
    public void await(final Request step) {
        wait.accept(step);
    }

    /** Returns the numbers that all ranks say, one rank after the other. */
    public long[] gather(final long... own) {
        final long[] all = new long[Math.multiplyExact(own.length, comm.size())];
        await(comm.engine().nonblocking().allgather(own, own.length, Datatype.LONG, all, own.length, Datatype.LONG));
        return all;
    }

    /**
     * Returns the numbers that all ranks say, one rank after the other; fails on all ranks when one has a problem.
     *
     * @param problem why this rank cannot make the call; null if it can
     */
    public long[] gather(final @Nullable MpiFailure problem, final long... own) {
        final long[] said = new long[own.length + 1];
        said[0] = problem == null ? 0 : problem.errorClass().ordinal();
        System.arraycopy(own, 0, said, 1, own.length);
        final long[] all = gather(said);
        if (problem != null) {
            throw problem;
        }
        final long[] values = new long[own.length * comm.size()];
        for (int r = 0; r < comm.size(); r++) {
            if (all[r * said.length] != 0) {
                throw failureOf(r, CLASSES[(int) all[r * said.length]]);
            }
            System.arraycopy(all, r * said.length + 1, values, r * own.length, own.length);
        }
        return values;
    }

    /** Fails on all ranks when one has a problem; returns when no rank has. */
    public void agree(final @Nullable MpiFailure problem) {
        final long[] worst = {0};
        final long own = problem == null ? 0 : (long) problem.errorClass().ordinal() << Integer.SIZE | comm.rank();
        await(comm.engine().nonblocking().allreduce(new long[] {own}, worst, 1, Datatype.LONG, Op.MAX));
        if (problem != null) {
            throw problem;
        }
        if (worst[0] != 0) {
            throw failureOf((int) worst[0], CLASSES[(int) (worst[0] >>> Integer.SIZE)]);
        }
    }

    /** Returns a number of the first rank. */
    public long ofFirst(final long own) {
        final long[] value = {own};
        await(comm.engine().nonblocking().bcast(value, 1, Datatype.LONG, 0));
        return value[0];
    }

    /** Fails when ranks say different values; {@code what} names the value. */
    public void checkSame(final long[] all, final int fields, final int field, final String what) {
        for (int r = 1; r < comm.size(); r++) {
            if (all[r * fields + field] != all[field]) {
                // Cause: an argument of a collective call must be the same on all ranks. Remedy: the same one.
                throw new MpiFailure(ErrorClass.NOT_SAME,
                    "argument differs: argument=" + what + ", rank 0 has " + all[field] + ", rank " + r + " has "
                        + all[r * fields + field]);
            }
        }
    }

    private MpiFailure failureOf(final int rank, final ErrorClass errorClass) {
        // Cause: the call failed on the rank that the message names. Remedy: its error says more.
        return new MpiFailure(errorClass, "call failed on rank " + rank + ", node " + nodeName(rank) + ": " + errorClass.text());
    }

    /** Returns the name of the node of a rank. */
    public String nodeName(final int rank) {
        return comm.context().owner().job().nodeName(comm.worldRank(rank));
    }
}
