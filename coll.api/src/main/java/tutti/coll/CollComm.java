package tutti.coll;

import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A communicator as a module sees it while the communicator is created: its properties, and the communication that the module may do on it.
 * The properties are immutable and may be read by any thread at any time.
 *
 * <p>{@link #send}, {@link #recv}, {@link #barrier}, {@link #allreduce}, {@link #split} and {@link #algorithm} may only be called by the thread that
 * runs {@link CollModule#query} or {@link CollInstance#init}, until that method returns; afterwards they throw {@link IllegalStateException}. The
 * messages are private to the module on this communicator and match no others. All of them must have been received when the method has returned on
 * every rank; otherwise the module is excluded from the communicator.
 *
 * <p>A module that fails on one rank fails on the others in their next collective method: barrier, allreduce or split, and when they wait for a
 * message of that rank.
 */
@ProviderType
public interface CollComm {

    /** How a communicator was made. */
    enum Origin {
        /** The communicator is {@code MPI_COMM_WORLD} or {@code MPI_COMM_SELF}. */
        PREDEFINED,
        /** It has the same ranks as {@link #parent} in the same order. */
        DUPLICATE,
        /** It has ranks of {@link #parent}, for example those of a colour or of a group. */
        PART,
        /** A module made it by {@link #split} from {@link #parent}, or it is the local group of the intercommunicator {@link #parent}. */
        HIDDEN,
        /** Two groups were joined in an intercommunicator, or merged: it is no part of another communicator. */
        JOINED
    }

    /** Returns the job of the communicator. */
    CollJob job();

    /** Returns the communicator's name, or its context id if it has none. */
    String name();

    /** Returns how the communicator was made. A duplicate of which the modules are not asked has the origin of its original. */
    Origin origin();

    /** Returns the name that the communicator had of which this one is a part or a duplicate; null if there is none. */
    @Nullable
    String parent();

    /** Returns this rank's number in its group, from 0. */
    int rank();

    /** Returns the number of ranks in this rank's group. */
    int size();

    /** Returns whether the communicator is an intercommunicator. */
    boolean isInter();

    /** Returns the number of ranks in the remote group; on an intracommunicator the same as {@link #size()}. */
    int remoteSize();

    /**
     * Returns the node of a rank of this rank's group.
     *
     * @param rank a rank of the local group
     * @return the index of the node in the job, equal on all ranks; two ranks with the same index share memory
     */
    int nodeOf(int rank);

    /**
     * Sends bytes to a peer. Returns at once: the data is copied, and the peer may receive it later.
     *
     * @param data the message
     * @param peer the receiver; on an intercommunicator a rank of the remote group
     * @throws IllegalArgumentException if the peer is out of range
     * @throws IllegalStateException    if called outside query and init
     */
    void send(byte[] data, int peer);

    /**
     * Receives a message of exactly {@code into.length} bytes from a peer. Messages of one peer are received in the order in which they were
     * sent. Blocks until the message arrives, or the module has failed at the peer.
     *
     * @param into where to put the message
     * @param peer the sender; on an intercommunicator a rank of the remote group
     * @throws IllegalArgumentException if the peer is out of range
     * @throws IllegalStateException    if the module has failed at the peer, if the message has another length, or if called outside query and init
     */
    void recv(byte[] into, int peer);

    /**
     * Waits until all ranks call it, those of both groups on an intercommunicator. Collective: all ranks must call it, in the same order.
     *
     * @throws IllegalStateException if another rank failed before it called barrier, or if called outside query and init
     */
    void barrier();

    /**
     * Combines values of all ranks, those of both groups on an intercommunicator, element by element and in place. Collective: all ranks must call
     * it, in the same order and with arrays of the same length.
     *
     * @param values   this rank's values, replaced by the results, which are equal on all ranks
     * @param operator an associative and commutative operator, the same on all ranks
     * @throws IllegalStateException if another rank failed before it called allreduce or has an array of another length, or if called outside query
     *                               and init
     */
    void allreduce(long[] values, LongBinaryOperator operator);

    /**
     * Splits this intracommunicator into hidden communicators, one for each colour. Their ranks are ordered by key, then by rank here.
     * Collective: all ranks must call it, in the same order and with the same modules. Modules are selected for a hidden communicator as for any
     * other, and may split it further; those that are named here come before others, though not before the choice of the user. Plans use its
     * collectives with {@link Plan#nested}. It is freed together with this communicator.
     *
     * @param color   0 or more; negative for a rank that belongs to none of them
     * @param key     order within the colour
     * @param modules names of modules that should serve the hidden communicators where they can, the first one first; none for the usual order
     * @return the communicator of this rank's colour, or null if the colour is negative
     * @throws IllegalStateException if another rank failed before it called split or named other modules, on an intercommunicator, or if called
     *                               outside query and init
     */
    @Nullable
    CollSubComm split(int color, int key, String... modules);

    /**
     * Returns an algorithm of another module on this communicator, to plan calls with it: {@code algorithm(Operation.BCAST, "tree/kary").plan(call,
     * plan)}. That module is initialized too, if it is not already. If that fails, or if the module does not offer the algorithm afterwards, the
     * calling module is excluded from the communicator. Callable in {@link CollInstance#init} only. Modules must not use each other in a circle.
     *
     * @param operation the operation
     * @param name      {@code MODULE/ALGORITHM}; or {@code MODULE} for the first of its algorithms, in the module's order, that can serve a call
     * @return an algorithm to be used in plans of this communicator and of the duplicates that the instance serves
     * @throws IllegalStateException if the module cannot be used on this communicator or does not offer the algorithm on all ranks, or if called
     *                               outside init
     */
    <C extends Call> Algorithm<C> algorithm(Operation<C> operation, String name);

    /**
     * Returns the local group of this intercommunicator as a hidden intracommunicator, for {@link Plan#nested}. It is created and freed
     * together with the intercommunicator. Modules are selected for it as for any other communicator. May be called at any time.
     *
     * @throws IllegalStateException on an intracommunicator
     */
    CollSubComm local();
}
