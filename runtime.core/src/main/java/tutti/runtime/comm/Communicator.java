package tutti.runtime.comm;

import java.util.ArrayList;
import java.util.List;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Serial;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.Channel;
import tutti.runtime.select.Explanation;
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

    static final int WORLD_CONTEXT = 0;
    static final int SELF_CONTEXT = Contexts.STRIDE;
    private static final int COLLECTIVE = 1;
    private static final int NEGOTIATION = 2;
    private static final int MODULES = 3;
    private static final int MAX_DEPTH = 4;

    private final Rank owner;
    private final String name;
    private final int context;
    private final int[] members;
    private final int rank;
    private final Serial[] targets;
    private final PointToPoint messages;
    private final CollectiveEngine engine;
    private final Collectives<Request> collectives;
    private final Collectives<Request> blocking;
    private final Collectives<PersistentRequest> persistent;
    private final Channel channel = new Wiring(COLLECTIVE);
    private final List<SubCommunicator> subs = new ArrayList<>();
    private final int depth;
    private Selection selection;

    Communicator(final Rank owner, final String name, final int context, final int[] members, final int rank) {
        this(owner, name, context, members, rank, 0);
    }

    private Communicator(final Rank owner, final String name, final int context, final int[] members, final int rank, final int depth) {
        this.owner = owner;
        this.name = name;
        this.depth = depth;
        this.context = context;
        this.members = members;
        this.rank = rank;
        this.targets = new Serial[members.length];
        for (int i = 0; i < members.length; i++) {
            targets[i] = owner.job().target(members[i]);
        }
        this.messages = new PointToPoint(this);
        this.engine = new CollectiveEngine(this);
        this.collectives = new Collectives<>(this, engine, engine::start);
        this.blocking = new Collectives<>(this, engine, engine::run);
        this.persistent = new Collectives<>(this, engine, engine::prepare);
    }

    /** Has modules selected for it, together with all its ranks. */
    void select() {
        selection = Selector.select(owner.job().modules(), new Negotiation(this, new Wiring(NEGOTIATION), context + MODULES),
            owner.threadLevel());
    }

    Selection selection() {
        return selection;
    }

    CollectiveEngine engine() {
        return engine;
    }

    Channel channel() {
        return channel;
    }

    /** Makes a hidden communicator of some of the ranks, together with them. */
    SubCommunicator sub(final int color, final int subContext, final int[] ranks) {
        if (depth == MAX_DEPTH) {
            throw new IllegalStateException("sub-communicators within sub-communicators: depth=" + MAX_DEPTH + ", communicator=" + name);
        }
        final int[] world = new int[ranks.length];
        int self = -1;
        for (int i = 0; i < ranks.length; i++) {
            world[i] = members[ranks[i]];
            self = ranks[i] == rank ? i : self;
        }
        final Communicator comm = new Communicator(owner, name + "/" + color, subContext, world, self, depth + 1);
        comm.select();
        final SubCommunicator sub = new SubCommunicator(comm, ranks);
        subs.add(sub);
        return sub;
    }

    /** Whether a module made it out of this one. */
    boolean owns(final SubCommunicator sub) {
        return subs.contains(sub);
    }

    /** Lets go of the modules, and of the communicators that they made. */
    void release() {
        final Selection s = selection;
        selection = null;
        if (s != null) {
            s.release();
        }
        for (final SubCommunicator sub : subs) {
            sub.comm().release();
            owner.contexts().free(sub.comm().context());
        }
        subs.clear();
    }

    /** Which module serves each operation, and why not the others; in alphabetical order of the operations. Usable after Init. */
    public List<Explanation> explain() {
        owner.checkUsable();
        return selection.explanations();
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
    public Collectives<Request> collectives() {
        return collectives;
    }

    /** The collective operations; each has waited when it returns, and nothing need be done with the request. */
    public Collectives<Request> blocking() {
        return blocking;
    }

    /** The collective operations; each returns a request that can be started again and again. All ranks start theirs in the same order. */
    public Collectives<PersistentRequest> persistent() {
        return persistent;
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
        return messages.sendrecv(send, sendCount, sendType, dest, sendTag, recv, recvCount, recvType, source, recvTag);
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

    /** Where the traffic of schedules goes. */
    private final class Wiring implements Channel {
        private final int kind;

        Wiring(final int kind) {
            this.kind = kind;
        }

        @Override
        public Mailbox home() {
            return owner.mailbox();
        }

        @Override
        public int context() {
            return context + kind;
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
}
