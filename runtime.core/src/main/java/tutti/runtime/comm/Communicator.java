package tutti.runtime.comm;

import java.util.List;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollJob;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Serial;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.Channel;
import tutti.runtime.select.OfferedModule;
import tutti.runtime.select.Selection;
import tutti.runtime.select.Selector;

/**
 * A group of ranks with a context of its own, as one of its ranks has it: messages and collective operations.
 *
 * <p>Buffers are arrays of a primitive type, java.nio buffers or memory segments; counts are elements of the type. Every call checks its
 * arguments first and throws {@link MpiFailure} with the error class that MPI gives them. Threads as the rank's thread level says.
 */
public final class Communicator {
    /** In place of a send buffer (of scatter at the root: the receive buffer): the call is in place. */
    public static final Object IN_PLACE = "in place";
    /** Any source. */
    public static final int ANY_SOURCE = -1;
    /** Any tag. */
    public static final int ANY_TAG = -1;
    /** A rank that does not exist: messages to and from it are nothing. */
    public static final int PROC_NULL = -2;
    /** As root on an intercommunicator: this rank. */
    public static final int ROOT = -4;
    /** The highest tag. */
    public static final int TAG_UB = Integer.MAX_VALUE;

    /** Contexts are even; the one after is that of collective traffic. */
    static final int WORLD_CONTEXT = 0;
    static final int SELF_CONTEXT = 2;

    private final Rank owner;
    private final String name;
    private final int context;
    private final int[] members;
    private final int rank;
    private final Serial[] targets;
    private final PointToPoint messages;
    private final Collectives collectives;
    private final Collectives blocking;
    private Selection selection;

    Communicator(final Rank owner, final String name, final int context, final int[] members, final int rank) {
        this.owner = owner;
        this.name = name;
        this.context = context;
        this.members = members;
        this.rank = rank;
        this.targets = new Serial[members.length];
        for (int i = 0; i < members.length; i++) {
            targets[i] = owner.job().target(members[i]);
        }
        this.messages = new PointToPoint(this);
        final CollectiveEngine engine = new CollectiveEngine(this, new Wiring());
        this.collectives = new Collectives(this, engine, false);
        this.blocking = new Collectives(this, engine, true);
    }

    void select(final List<OfferedModule> modules, final CollJob job) {
        selection = Selector.select(modules, new View(job));
    }

    Selection selection() {
        return selection;
    }

    void release() {
        final Selection s = selection;
        selection = null;
        if (s != null) {
            s.instances().forEach(CollInstance::dispose);
        }
    }

    /** The calling rank in the group. */
    public int rank() {
        return rank;
    }

    /** Ranks in the group. */
    public int size() {
        return members.length;
    }

    /** Whether it joins two groups. */
    public boolean isInter() {
        return false;
    }

    /** Ranks in the remote group; of an intracommunicator the same as {@link #size()}. */
    public int remoteSize() {
        return members.length;
    }

    /** The rank whose communicator it is. */
    public Rank owner() {
        return owner;
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** The collective operations; each returns a request. */
    public Collectives collectives() {
        return collectives;
    }

    /** The collective operations; each has waited when it returns, and nothing need be done with the request. */
    public Collectives blocking() {
        return blocking;
    }

    /** Sends, and waits until the buffer may be used again (or, synchronous, until the message was taken). */
    public void send(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        messages.send(mode, buffer, count, type, dest, tag);
    }

    /** Starts a send. */
    public Request isend(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        return messages.isend(mode, buffer, count, type, dest, tag);
    }

    /** Receives, and waits for it. */
    public Status recv(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        return messages.recv(buffer, count, type, source, tag);
    }

    /** Starts a receive. */
    public Request irecv(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        return messages.irecv(buffer, count, type, source, tag);
    }

    /** Sends and receives at once. */
    public Status sendrecv(final Object send, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
                           final Object recv, final long recvCount, final Datatype recvType, final int source, final int recvTag) {
        final Request receiving = messages.irecv(recv, recvCount, recvType, source, recvTag);
        messages.send(SendMode.STANDARD, send, sendCount, sendType, dest, sendTag);
        return receiving.waitFor();
    }

    /** Waits for a message without taking it. */
    public Status probe(final int source, final int tag) {
        return messages.probe(source, tag, false);
    }

    /** The status of a message that is there, or null. */
    public Status iprobe(final int source, final int tag) {
        return messages.probe(source, tag, true);
    }

    /** Ends the job with a status. Does not return. */
    public void abort(final int status) {
        owner.abort(status);
    }

    int context() {
        return context;
    }

    Serial target(final int peer) {
        return targets[peer];
    }

    int worldRank(final int peer) {
        return members[peer];
    }

    @Override
    public String toString() {
        return name + " (job " + owner.jobId() + ", rank " + rank + " of " + members.length + ")";
    }

    /** Where collective traffic goes. */
    private final class Wiring implements Channel {
        @Override
        public Mailbox home() {
            return owner.mailbox();
        }

        @Override
        public int context() {
            return context + 1;
        }

        @Override
        public int rank() {
            return rank;
        }

        @Override
        public Serial target(final int peer) {
            return targets[peer];
        }

        @Override
        public int worldRank(final int peer) {
            return members[peer];
        }
    }

    /** What modules see. */
    private final class View implements CollComm {
        private final CollJob job;

        View(final CollJob job) {
            this.job = job;
        }

        @Override
        public CollJob job() {
            return job;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public int rank() {
            return rank;
        }

        @Override
        public int size() {
            return members.length;
        }

        @Override
        public boolean isInter() {
            return false;
        }

        @Override
        public int remoteSize() {
            return members.length;
        }

        @Override
        public int nodeOf(final int member) {
            return owner.job().nodeOf(members[member]);
        }
    }
}
