package tutti.intercept;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * What a {@link CallInterceptor} does in the calls of one rank. It may count, record, delay and refuse; it cannot change arguments or results.
 *
 * <p><b>Threads.</b> {@link #before} and {@link #after} are called by the thread that makes the call, so by several at a time in a program with
 * threads.
 * {@link #end} and {@link #report} are called once, by the thread that calls {@code MPI.Finalize}.
 *
 * <p><b>Errors.</b> An exception of {@link #before} refuses the call: it does not happen, and the program gets its error, which names the
 * interceptor. An
 * exception of another method is printed once on the rank's error output, and the job goes on.
 */
@ConsumerType
public interface RankInterceptor {

    /**
     * Called before a call.
     *
     * @throws Exception to refuse the call; the message tells the program why
     */
    default void before(final InterceptedCall call) throws Exception {}

    /** Called after a call, unless it was refused. The call has its duration, and its result or its failure. */
    default void after(final InterceptedCall call) {}

    /**
     * Called for a collective that a module nests in one that the program called, if the job has {@code -p intercept.nested=true}: when the outer
     * call begins,
     * before its data moves.
     */
    default void nested(final NestedCollective collective) {}

    /** Called when the program calls {@code MPI.pControl}: by convention 0 turns profiling off, 1 on, and 2 writes data that was collected. */
    default void control(final int level, final @Nullable Object argument) {}

    /** Called when the rank calls {@code MPI.Finalize}; returns what {@link #report} needs of this rank, null for nothing. */
    default byte @Nullable [] end() {
        return null;
    }

    /**
     * Called on rank 0 of the job after {@link #end} of all ranks. What it prints on {@code System.err} is output of the job; what it passes to
     * {@link InterceptedRank#keepReport} is kept by the node for its live page. Not called in a job that ends without {@code MPI.Finalize}.
     *
     * @param parts what {@link #end} returned on each rank, by rank in COMM_WORLD; empty arrays where it returned null
     */
    default void report(final List<byte[]> parts) {}

    /**
     * Releases what {@link CallInterceptor#begin} acquired. Called once, on any thread, after the last call of the rank: when it has ended, with
     * {@code MPI.Finalize} or without, or when another interceptor could not begin.
     */
    default void dispose() {}
}
