package tutti.coll;

import org.osgi.annotation.versioning.ProviderType;

/**
 * What a module may know of a communicator that is being made, and do on it meanwhile. The facts are immutable and safe for any thread.
 *
 * <p>{@link #send}, {@link #recv} and {@link #split} are for the thread that calls {@link CollModule#query} or {@link CollInstance#init},
 * until that returns; afterwards they throw {@link IllegalStateException}. Their messages are the module's own on this communicator: they
 * meet no others, and all must have been received when the call has returned on every rank, or the module is left out.
 */
@ProviderType
public interface CollComm {

    /** The job that it belongs to. */
    CollJob job();

    /** The communicator's name or, without one, its context. */
    String name();

    /** This rank in its group. */
    int rank();

    /** Ranks in this rank's group. */
    int size();

    /** Whether it is an intercommunicator. */
    boolean isInter();

    /** Ranks in the remote group; on an intracommunicator the same as {@link #size()}. */
    int remoteSize();

    /** The node that holds a rank of this group, as an index that is equal on all ranks. */
    int nodeOf(int rank);

    /** Sends bytes to a peer. Returns when they may be changed again, whether or not the peer has received. */
    void send(byte[] data, int peer);

    /**
     * Receives exactly as many bytes as {@code into} has from a peer, in the order of sending.
     *
     * @throws IllegalStateException when nothing comes for 10 seconds, or another length
     */
    void recv(byte[] into, int peer);

    /**
     * Makes hidden communicators out of this one, which must be an intracommunicator: one for each colour, its ranks in the order of key
     * and then of rank here. All ranks call it alike. Modules are selected for it as for any other, sub-communicators of its own included,
     * and its collectives are used in plans with {@link Plan#nested}. It is freed with this communicator.
     *
     * @param color from 0; negative for a rank that takes part in none
     * @param key   order within the colour
     * @return this rank's, or null with a negative colour
     * @throws IllegalStateException when another rank failed before it came here
     */
    CollSubComm split(int color, int key);

    /**
     * The ranks of this rank's group of an intercommunicator as an intracommunicator of their own, for {@link Plan#nested}. It is hidden, was
     * made together with the intercommunicator, and is freed with it. Modules are selected for it as for any other.
     *
     * @throws IllegalStateException on an intracommunicator
     */
    CollSubComm local();
}
