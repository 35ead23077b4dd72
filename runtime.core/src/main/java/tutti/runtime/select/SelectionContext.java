package tutti.runtime.select;

import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import tutti.coll.advanced.CollSubComm;
import tutti.runtime.datatype.Op;
import tutti.runtime.module.ModuleId;

/** A communicator during its creation, as the selection of modules needs it. Used by the thread that creates it. */
public interface SelectionContext {

    /** Returns the communicator's shape. */
    CommShape shape();

    /** Returns the indices of the nodes that hold ranks of the communicator, those of both groups of an intercommunicator; equal on all ranks. */
    SortedSet<Integer> nodes();

    /** Returns the index of this rank among all ranks of the communicator, those of both groups on an intercommunicator. */
    int index();

    /** Returns the number of all ranks of the communicator, those of both groups on an intercommunicator. */
    int totalSize();

    /** Returns the name of a rank for messages, by its index among all ranks of the communicator. */
    String nameOf(int index);

    /** Reduces values of all ranks, the remote group included, element by element and in place. A collective call. */
    void combine(long[] values, Op op);

    /** Sends a message with a tag to a peer, and returns when {@code data} may be modified. */
    void send(byte[] data, int peer, int tag);

    /** Tells a peer, in the place of a message with a tag, that it need not wait for one. */
    void fail(int peer, int tag);

    /**
     * Receives a message with a tag from a peer. Blocks.
     *
     * @throws IllegalStateException when the message has another length, or the peer has called {@link #fail}
     */
    void recv(byte[] into, int peer, int tag);

    /** Returns the hints of the communicator; those of which the selection depends are equal on all ranks. */
    CommHints hints();

    /** Returns the names of the modules that should serve the communicator where they can, as the module asked that made it; else empty. */
    List<String> preferred();

    /**
     * Creates sub-communicators; returns null for a negative colour. A collective call.
     *
     * @param name    name of the split, equal on all ranks and different from those of other splits
     * @param modules names of the modules that should serve them where they can, equal on all ranks
     */
    @Nullable
    CollSubComm split(String name, int color, int key, List<String> modules);

    /** Returns whether no sub-communicator of this rank has sub-communicators itself. */
    boolean isFlat();

    /** Returns whether calls of the program on the communicator try other algorithms than those that are selected. Equal on all ranks. */
    boolean isTuned();

    /** Returns why a module is in quarantine on this node; null when it is not. */
    @Nullable
    String quarantined(ModuleId module);

    /** Returns the local group of an intercommunicator as an intracommunicator. */
    CollSubComm local();
}
