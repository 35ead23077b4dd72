package tutti.coll.advanced;

import java.lang.foreign.MemorySegment;
import org.osgi.annotation.versioning.ProviderType;
import tutti.coll.Call;
import tutti.coll.Operation;

/** A rank's part of a collective that an {@link OffloadDevice} carries out. */
@ProviderType
public interface OffloadedTask extends ModuleTask {

    /** Returns the operation. */
    Operation<?> operation();

    /**
     * Returns the arguments of this rank. A reduction among them is of a predefined operation, and has the names of the operation and of the type of
     * the elements.
     */
    Call call();

    /** Returns the send buffer, packed and read-only; empty where the call has none. Not to be read after the task is complete or cancelled. */
    MemorySegment send();

    /**
     * Returns the receive buffer, packed; empty where the call has none, and read-only on the root of a bcast. Not to be used after the task is
     * complete or cancelled.
     */
    MemorySegment recv();

    /** Returns this rank's number among those that take part, from 0. */
    int rank();

    /** Returns the number of ranks that take part. */
    int size();

    /** Returns the number of the communicator of the ranks that take part: equal on all of them, different for all others of the job in use. */
    long communicator();

    /**
     * Returns the number of the collective: equal for the parts of one collective on all ranks, different for all others on the communicator that may
     * be in progress at the same time.
     */
    long number();
}
