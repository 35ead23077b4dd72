package tutti.intercept;

import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ProviderType;

/** A call of package {@code mpi}. For the thread that makes the call, during {@link RankInterceptor#before} and {@link RankInterceptor#after}. */
@ProviderType
public interface InterceptedCall {
    /** The value of a peer, root or tag that the call does not have. */
    int NONE = Integer.MIN_VALUE;

    /** Returns the name of the method: {@code send}, {@code allReduce}, {@code waitFor}. */
    String operation();

    /** Returns the simple name of the method's class: {@code Comm}, {@code Request}, {@code MPI}. */
    String owner();

    /** Returns the name of the communicator; null for a call without one, or outside of Init and Finalize. */
    @Nullable
    String communicator();

    /** Returns a number that distinguishes communicators of the rank; -1 for a call without one. */
    long context();

    /** Returns the number of ranks in the communicator; 0 for a call without one. */
    int size();

    /** Returns the destination or else the source as the call names it, {@code MPI.ANY_SOURCE} too; {@link #NONE} for a call without one. */
    int peer();

    /** Returns the root as the call names it; {@link #NONE} for a call without one. */
    int root();

    /** Returns the tag as the call names it, {@code MPI.ANY_TAG} too; {@link #NONE} for a call without one. */
    int tag();

    /** Returns the number of elements that the call names: to send, or else to receive; the sum where there is one per rank; 0 without data. */
    long count();

    /** Returns the packed length of these elements in bytes; 0 for a call without data. */
    long bytes();

    /** Returns whether the call is one to one: a send, a receive, or both. */
    boolean isPointToPoint();

    /** Returns the line of the program that makes the call. Walks the stack when it is first asked for, which takes about a microsecond. */
    StackTraceElement site();

    /** Returns the time at which the call began, by {@link System#nanoTime}. */
    long begin();

    /** Returns the duration of the call in nanoseconds, without that of interceptors; 0 before its end. */
    long nanos();

    /** Returns what the call returned; null before its end, for a call that returns nothing, and for one that failed. Not to be changed. */
    @Nullable
    Object result();

    /** Returns the exception with which the call ended; null if there is none. */
    @Nullable
    Throwable failure();
}
