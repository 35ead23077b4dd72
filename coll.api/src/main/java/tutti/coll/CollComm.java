package tutti.coll;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A communicator as a module sees it while the communicator is created. Its properties are immutable and may be read by any thread at any time. What
 * a module may do on it is in {@link tutti.coll.advanced.SetupComm}.
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
        /**
         * A module made it by {@link tutti.coll.advanced.SetupComm#split} from {@link #parent}, or it is the local group of the intercommunicator
         * {@link #parent}.
         */
        HIDDEN,
        /** Two groups were joined in an intercommunicator, or merged: it is no part of another communicator. */
        JOINED
    }

    /** Returns the job of the communicator. */
    CollJob job();

    /**
     * Returns the logger of the module on this communicator. It may be kept, and used by any thread.
     *
     * <p>Parameter {@code log.coll.NAME} of a job is the level of module NAME, {@code log.coll} that of all modules: {@code off}, {@code error},
     * {@code warning} (the default), {@code info}, {@code debug}, {@code trace} or {@code all}. A message of a rank's thread is printed to the
     * rank's error output, with module, level, communicator and rank in front, and never to the output that commands read as JSON. A message of a
     * thread that the module started goes to the error output of the node's JVM.
     */
    System.Logger logger();

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
     * Returns the levels of locality of this rank's group, the innermost first, equal on all ranks of the group.
     *
     * <p>{@link Level#JVM} and {@link Level#HOST} are always there. Levels of processors are there if the ranks are bound to processors ({@code
     * --bind-to}) and the system tells how these are connected. Levels of switches are there if the configuration of each node names its switches, or
     * a topology file does. A level may have one domain only.
     *
     * <p>Levels of caches, NUMA nodes, sockets and JVMs need not nest in each other: that depends on the processors and on the job.
     */
    List<Level> levels();
}
