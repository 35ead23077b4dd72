package tutti.runtime.select;

import tutti.coll.CollSubComm;
import tutti.runtime.datatype.Op;

/** A communicator that is being made, as the selection of its modules needs it. For the thread that makes it. */
public interface SelectionContext {

    /** Its name. */
    String name();

    /** This rank in its group. */
    int rank();

    /** Ranks in the group. */
    int size();

    /** Whether it joins two groups. */
    boolean isInter();

    /** Ranks in the remote group. */
    int remoteSize();

    /** The node of a rank. */
    int nodeOf(int rank);

    /** This rank among all that decide, which on an intercommunicator are those of both groups. */
    int voter();

    /** How many decide. */
    int voters();

    /** A rank among all that decide, in words. */
    String nameOf(int voter);

    /** Combines values of all ranks, those of the remote group included, element by element, in place. All ranks must call it alike. */
    void combine(long[] values, Op op);

    /** Sends to a peer under a tag, and returns when the bytes may change. */
    void send(byte[] data, int peer, int tag);

    /**
     * Receives what was sent under a tag.
     *
     * @throws IllegalStateException when nothing comes in time, or another length
     */
    void recv(byte[] into, int peer, int tag);

    /** Makes sub-communicators; null with a negative colour. All ranks must call it alike. */
    CollSubComm split(int color, int key);

    /** The own group of an intercommunicator as an intracommunicator. */
    CollSubComm local();
}
