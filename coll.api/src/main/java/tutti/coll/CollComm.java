package tutti.coll;

import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A communicator as a module sees it while the communicator is created: its properties, and the communication that the module may do on it.
 * The properties are immutable and may be read by any thread at any time.
 *
 * <p>{@link #send}, {@link #recv} and {@link #split} may only be called by the thread that runs {@link CollModule#query} or
 * {@link CollInstance#init}, until that method returns; afterwards they throw {@link IllegalStateException}. The messages are private to the
 * module on this communicator and match no others. All of them must have been received when the method has returned on every rank;
 * otherwise the module is excluded from the communicator.
 */
@ProviderType
public interface CollComm {

    /** Returns the job of the communicator. */
    CollJob job();

    /** Returns the communicator's name, or its context id if it has none. */
    String name();

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
     * sent. Blocks for at most 10 seconds.
     *
     * @param into where to put the message
     * @param peer the sender; on an intercommunicator a rank of the remote group
     * @throws IllegalArgumentException if the peer is out of range
     * @throws IllegalStateException    if no message arrives within 10 seconds, if it has another length, or if called outside query and init
     */
    void recv(byte[] into, int peer);

    /**
     * Splits this intracommunicator into hidden communicators, one for each colour. Their ranks are ordered by key, then by rank here.
     * Collective: all ranks must call it, in the same order. Modules are selected for a hidden communicator as for any other, and may split
     * it further. Plans use its collectives with {@link Plan#nested}. It is freed together with this communicator.
     *
     * @param color 0 or more; negative for a rank that belongs to none of them
     * @param key   order within the colour
     * @return the communicator of this rank's colour, or null if the colour is negative
     * @throws IllegalStateException if another rank failed before it called split, on an intercommunicator, or if called outside query and init
     */
    @Nullable
    CollSubComm split(int color, int key);

    /**
     * Returns the local group of this intercommunicator as a hidden intracommunicator, for {@link Plan#nested}. It is created and freed
     * together with the intercommunicator. Modules are selected for it as for any other communicator. May be called at any time.
     *
     * @throws IllegalStateException on an intracommunicator
     */
    CollSubComm local();
}
