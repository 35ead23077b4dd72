package tutti.runtime.context;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.CollComm;
import tutti.runtime.buffer.MessageBufferCache;
import tutti.runtime.datatype.Op;
import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.ContextPurge;
import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.Send;
import tutti.runtime.match.StaleMessagePurge;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.schedule.CallSignature;
import tutti.runtime.schedule.CollectiveChannel;
import tutti.runtime.schedule.PendingOperations;
import tutti.runtime.select.CommHints;
import tutti.runtime.serial.SerialExecutor;

/**
 * The context of a communicator, as one of its ranks holds it: its members, its context id, and the targets of its messages. Safe for any thread
 * of the rank: the fields are final but for the context id, which {@link #open} publishes by the volatile state.
 */
public final class CommContext {
    /** AFFECTED is ready, but ranks are lost, or it was revoked. */
    private enum State { MAKING, READY, AFFECTED, FREED, NULL }

    private final RankContext owner;
    private final CommMembers members;
    private final CollComm.Origin origin;
    /** Name of the communicator that this one is a part or a duplicate of, when it was made; null if there is none. */
    private final @Nullable String parent;
    private final boolean isPredefined;
    private final PeerTargets targets;
    private final PeerTargets allTargets;
    private final Group all;
    private final CollectiveChannel channel;
    private final NodeLocality locality;
    private final MessageBufferCache buffers;
    private final PendingOperations pending = new PendingOperations();
    private final PendingOperations pendingMessages = new PendingOperations();
    private final PendingOperations pendingCollectives = new PendingOperations();
    private final CommExchanges exchanges = new CommExchanges(this, ContextIds.BOOTSTRAP);
    private final CommExchanges liveExchanges = new CommExchanges(this, ContextIds.LIVE);
    private final BootstrapSchedules schedules;
    /** Drops messages of earlier uses of the context ids of a duplicate; null for others. */
    private @Nullable StaleMessagePurge stale;
    /** The communicator that a hidden one belongs to, whose name precedes its own; null for others. */
    private final @Nullable CommContext outer;
    private volatile @Nullable String givenName;
    private volatile CommHints hints = CommHints.NONE;
    private long id;
    private volatile State state;
    /** Whether ranks of other jobs are members. */
    private final boolean spansJobs;
    private boolean isShadow;
    private final CommFaults faults = new CommFaults(this);

    private CommContext(final RankContext owner, final @Nullable CommContext outer, final @Nullable String givenName, final CommMembers members,
        final long id, final State state, final CollComm.Origin origin, final @Nullable String parent) {
        this.owner = owner;
        this.outer = outer;
        this.origin = origin;
        this.parent = parent;
        this.givenName = givenName;
        this.members = members;
        this.id = id;
        this.state = state;
        this.isPredefined = state == State.READY;
        this.targets = PeerTargets.of(members.peers(), owner.job());
        this.all = members.all();
        this.allTargets = members.isInter() ? PeerTargets.of(all, owner.job()) : targets;
        this.channel = new CommChannel(this, ContextIds.COLLECTIVE, members.peers(), targets, members.rank());
        this.locality = new NodeLocality(this);
        this.schedules = new BootstrapSchedules();
        this.buffers = new MessageBufferCache(owner::checksKinds);
        this.spansJobs = all != owner.job().world() && spansJobs(all, owner.job().size());
    }

    private static boolean spansJobs(final Group all, final int ranks) {
        for (int r = 0; r < all.size(); r++) {
            if (all.worldRank(r) >= ranks) {
                return true;
            }
        }
        return false;
    }

    private CommContext(final CommContext original, final @Nullable CommContext outer, final long id, final CollComm.Origin origin,
        final @Nullable String parent) {
        this.owner = original.owner;
        this.outer = outer;
        this.origin = origin;
        this.parent = parent;
        this.givenName = outer == null ? null : original.givenName;
        this.members = original.members;
        this.id = id;
        this.state = State.MAKING;
        this.isPredefined = false;
        this.targets = original.targets;
        this.all = original.all;
        this.allTargets = original.allTargets;
        this.channel = new CommChannel(this, ContextIds.COLLECTIVE, members.peers(), targets, members.rank());
        this.locality = original.locality.duplicate(this);
        this.schedules = original.schedules;
        this.buffers = new MessageBufferCache(owner::checksKinds);
        this.spansJobs = original.spansJobs;
    }

    /** Returns the context of a predefined communicator. */
    public static CommContext predefined(final RankContext owner, final String name, final long id, final Group group) {
        return new CommContext(owner, null, name, CommMembers.of(group, owner.worldRank()), id, State.READY, CollComm.Origin.PREDEFINED, null);
    }

    /**
     * Returns the context of COMM_WORLD for a rank that takes the place of another one in a communicator: the others have created it from one of
     * theirs.
     */
    public static CommContext replacing(final RankContext owner, final String name, final long id, final Group group) {
        return new CommContext(owner, null, name, CommMembers.of(group, owner.worldRank()), id, State.READY, CollComm.Origin.PART, name);
    }

    /** Returns the context of the null communicator, which refuses every call. */
    public static CommContext nullContext(final RankContext owner) {
        return new CommContext(owner, null, "MPI_COMM_NULL", new CommMembers(Group.EMPTY, Group.UNDEFINED, null, true), ContextIds.NONE, State.NULL,
            CollComm.Origin.PREDEFINED, null);
    }

    /**
     * Returns a context that refuses calls until it is {@link #open opened} and {@link #ready}.
     *
     * @param parent name of the communicator that it is a part or a duplicate of; null if there is none
     */
    public static CommContext of(final RankContext owner, final CommMembers members, final CollComm.Origin origin,
        final @Nullable String parent) {
        return new CommContext(owner, null, null, members, ContextIds.NONE, State.MAKING, origin, parent);
    }

    /**
     * Returns the context of a duplicate. It refuses calls until it is {@link #openDuplicate opened} and {@link #ready}. The exchange of its context
     * ids must begin afterwards.
     */
    public CommContext duplicate() {
        final CommContext duplicate = new CommContext(this, null, ContextIds.NONE, CollComm.Origin.DUPLICATE, name());
        duplicate.stale = new StaleMessagePurge(ContextIds.BOOTSTRAP);
        owner.mailbox().submit(duplicate.stale);
        return duplicate;
    }

    /**
     * Returns the context of the hidden communicator that takes the place of this one in a duplicate of its outer one; it refuses calls until it is
     * {@link #ready}.
     */
    public CommContext duplicateHidden(final CommContext duplicate, final long hiddenId) {
        return new CommContext(this, duplicate, hiddenId, origin, parent).watched();
    }

    /**
     * Returns the context of a hidden communicator of some ranks of this rank's group; it refuses calls until it is {@link #ready}.
     *
     * @param name its name within this communicator, different from those of other hidden ones
     */
    public CommContext hidden(final String name, final long hiddenId, final int[] ranks) {
        return new CommContext(owner, this, name, CommMembers.of(group().incl(ranks), owner.worldRank()), hiddenId, State.MAKING,
            CollComm.Origin.HIDDEN, name()).watched();
    }

    /**
     * Returns the context of a shadow: a hidden communicator of the same ranks, which modules cannot tell from this one but for its name. It refuses
     * calls until it is {@link #ready}. For an intracommunicator.
     */
    public CommContext shadow(final long hiddenId) {
        final CommContext shadow = new CommContext(this, null, hiddenId, origin, parent);
        shadow.givenName = name() + "/shadow";
        shadow.hints = hints;
        shadow.isShadow = true;
        return shadow.watched();
    }

    /** Returns whether this is a shadow, or a hidden communicator of one: the program does not depend on its calls. */
    public boolean isShadow() {
        return isShadow || outer != null && outer.isShadow();
    }

    /** Makes calls fail that need ranks which are lost, now or later. */
    private CommContext watched() {
        faults.watch(outer == null ? null : outer.faults);
        return this;
    }

    /** Begins to watch the ranks of a predefined communicator, in Init. */
    public void watch() {
        watched();
    }

    /** Returns what its ranks know of those that have failed, and whether it was revoked. */
    public CommFaults faults() {
        return faults;
    }

    /** Records that ranks are lost, or that the communicator was revoked. */
    synchronized void affected() {
        if (state == State.READY) {
            state = State.AFFECTED;
        }
    }

    /** Returns why calls that need a rank fail; null while they do not. */
    public @Nullable MpiFailure failureOf(final int peer) {
        return state == State.READY ? null : faults.failureOf(members.peers().worldRank(peer));
    }

    /** Sends a message that comes without a receive to a rank, given by its index among all. */
    void control(final int to, final byte[] message) {
        final Send send = new Send();
        send.envelope(id + ContextIds.AGREEMENTS, members.index(), 0, message.length);
        send.ofCall(IncomingMessage.CONTROL);
        send.message(MemorySegment.ofArray(message), 0, all.worldRank(to), false);
        send.arm(CompletionHandler.NONE, null, 0);
        allTargets.of(to).submit(send);
    }

    /** Forgets which ranks are lost, which must not outlive the context id: from now on no receive fails because of them. */
    public void forgetLost() {
        faults.forget(outer == null ? null : outer.faults);
        if (faults.isAffected()) {
            owner.mailbox().submit(new ContextPurge(id, id + ContextIds.STRIDE));
        }
    }

    /** Returns whether ranks of other jobs are members. */
    public boolean spansJobs() {
        return spansJobs;
    }

    /** Sets the context id, and drops messages of an earlier use of it. */
    public void open(final long ownId) {
        id = ownId;
        // ranks send in this context only after a message from this rank
        owner.mailbox().submit(new ContextPurge(id, id + ContextIds.BOOTSTRAP));
        watched();
    }

    /**
     * Sets the context id of a duplicate, and drops messages of an earlier use of its context ids.
     *
     * @param ids its own context id, then those of its hidden communicators
     */
    public void openDuplicate(final long[] ids) {
        id = ids[0];
        // other ranks may have sent in these contexts already
        final StaleMessagePurge purge = Objects.requireNonNull(stale, "purge of a duplicate");
        purge.of(ids);
        owner.mailbox().submit(purge);
        watched();
    }

    /** Allows calls. */
    public synchronized void ready() {
        state = faults.isAffected() ? State.AFFECTED : State.READY;
    }

    /** Refuses calls from now on. */
    public synchronized void freed() {
        checkReady();
        if (isPredefined) {
            throw new MpiFailure(ErrorClass.COMM, "predefined communicator cannot be freed: comm=" + name());
        }
        state = State.FREED;
    }

    /**
     * Refuses a call that the communicator, or its rank, cannot serve at this time. The class is COMM where the communicator is the reason.
     */
    public void checkUsable() {
        owner.checkUsable();
        if (state != State.READY) {
            checkState();
            final MpiFailure revoked = faults.revocation();
            if (revoked != null) {
                throw revoked.again();
            }
        }
    }

    /** Refuses a call as {@link #checkUsable} does, but for one that a revoked communicator serves. */
    public void checkReady() {
        owner.checkUsable();
        checkState();
    }

    private void checkState() {
        final State now = state;
        if (now != State.READY && now != State.AFFECTED) {
            throw new MpiFailure(ErrorClass.COMM, switch (now) {
                // Cause: `iDup` has not ended.
                case MAKING -> "communicator is being made: wait for its request first";
                // Remedy: free it after its last use.
                case FREED -> "communicator has been freed: comm=" + name();
                default -> "communicator is null";
            });
        }
    }

    /** Returns whether this is no usable communicator: freed, or the null communicator. */
    public boolean isNull() {
        return state == State.FREED || state == State.NULL;
    }

    /** Returns whether the communicator is predefined, and cannot be freed. */
    public boolean isPredefined() {
        return isPredefined;
    }

    /** Returns the bootstrap collectives of all ranks, in a kind of context. */
    public BootstrapCollective bootstrap(final int kind) {
        return BootstrapCollective.ofAll(channelToAll(kind), owner.lifecycle(), all.size(), schedules);
    }

    /** Returns the bootstrap collectives of some ranks of an intracommunicator, without the others. */
    public BootstrapCollective bootstrapOf(final int[] ranks, final int index) {
        return BootstrapCollective.of(
            new CommChannel(this, ContextIds.GROUPS, all, allTargets, members.index(), IntStream.of(ranks).boxed().toList()),
            owner.lifecycle(), all.size(), ranks, index);
    }

    /** Returns the bootstrap collectives of the ranks that live, without the others, by their indices among all. */
    public BootstrapCollective bootstrapOfSurvivors(final int[] indices, final int index) {
        return BootstrapCollective.of(
            new CommChannel(this, ContextIds.SURVIVORS, all, allTargets, members.index(), IntStream.of(indices).boxed().toList()),
            owner.lifecycle(), all.size(), indices, index);
    }

    /** Returns the channel to all ranks: on an intercommunicator those of both groups. */
    private CommChannel channelToAll(final int kind) {
        return new CommChannel(this, kind, all, allTargets, members.index());
    }

    /** Returns the exchanges that create this communicator or others from it. */
    public CommExchanges exchanges() {
        return exchanges;
    }

    /** Returns the exchanges that change its modules while the program calls it. */
    public CommExchanges liveExchanges() {
        return liveExchanges;
    }

    /** Combines values of all ranks in place, and waits. */
    public void combine(final long[] values, final Op op) {
        exchanges.combine(values, op);
    }

    /** Combines values of all ranks in place, to create a communicator; fails where another rank creates one by another call. */
    public void combine(final long[] values, final Op op, final CallSignature.Creation creation) {
        exchanges.combine(values, op, creation);
    }

    /** Refuses an intercommunicator. */
    public void checkIntra() {
        if (isInter()) {
            // Remedy: its local communicator.
            throw new MpiFailure(ErrorClass.COMM, "an intercommunicator cannot be used here: comm=" + name());
        }
    }

    /** Returns how the communicator was made. */
    public CollComm.Origin origin() {
        return origin;
    }

    /** Returns the name that the communicator had of which this one is a part or a duplicate; null if there is none. */
    public @Nullable String parent() {
        return parent;
    }

    /** Returns the context of the rank that holds the communicator. */
    public RankContext owner() {
        return owner;
    }

    /** Returns the members. */
    public CommMembers members() {
        return members;
    }

    /** Returns this rank's group. */
    public Group group() {
        return members.local();
    }

    /** Returns all ranks: of an intercommunicator those of both groups, in an order that is equal on all of them. */
    public Group all() {
        return all;
    }

    /** Returns the calling rank in the group. */
    public int rank() {
        return members.rank();
    }

    /** Returns the number of ranks in the group. */
    public int size() {
        return members.local().size();
    }

    /** Returns whether this is an intercommunicator. */
    public boolean isInter() {
        return members.isInter();
    }

    /** Returns the number of ranks in the remote group; of an intracommunicator the same as {@link #size()}. */
    public int remoteSize() {
        return members.peers().size();
    }

    /** Returns the context id. */
    public long id() {
        return id;
    }

    /** Returns the executor that messages to a peer are submitted to. */
    public SerialExecutor target(final int peer) {
        return targets.of(peer);
    }

    /** Returns a peer's rank in COMM_WORLD. */
    public int worldRank(final int peer) {
        return members.peers().worldRank(peer);
    }

    /** Returns the channel of the collectives' messages. */
    public CollectiveChannel channel() {
        return channel;
    }

    /** Returns the locality of the ranks: which of them are on this rank's node. */
    public NodeLocality locality() {
        return locality;
    }

    /** Returns the cache of message buffers of calls on the communicator. */
    public MessageBufferCache buffers() {
        return buffers;
    }

    /** Returns the pending operations that keep the context id in use. */
    public PendingOperations pending() {
        return pending;
    }

    /** Returns the pending collectives of nonblocking calls. */
    public PendingOperations pendingCollectives() {
        return pendingCollectives;
    }

    /** Returns the pending messages of nonblocking calls. */
    public PendingOperations pendingMessages() {
        return pendingMessages;
    }

    /**
     * Returns the name for messages. A communicator without a given name is named after its context id, a hidden one after the communicator that it
     * belongs to.
     */
    public String name() {
        return outer != null ? outer.name() + "/" + givenName : givenName != null ? givenName : "comm " + (int) id / ContextIds.STRIDE;
    }

    /** Returns the hints of the program. */
    public CommHints hints() {
        return hints;
    }

    /** Replaces the hints of the program. */
    public void setHints(final CommHints newHints) {
        hints = newHints;
    }

    /** Sets the name, or removes it with null. */
    public void setName(final @Nullable String name) {
        givenName = name;
    }

    @Override
    public String toString() {
        return name() + " (job " + owner.job().jobId() + ", rank " + rank() + " of " + size() + (isInter() ? " with " + remoteSize() : "") + ")";
    }
}
