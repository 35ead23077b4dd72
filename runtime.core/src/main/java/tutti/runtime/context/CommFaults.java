package tutti.runtime.context;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tutti.runtime.fault.RankSet;
import tutti.runtime.fault.Vote;
import tutti.runtime.match.PeerLoss;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;

/**
 * What a rank knows of the ranks of a communicator that have failed, the agreements of those that live, and whether the communicator was revoked.
 *
 * <p>A revocation is told along the edges of a graph in which each live rank has the ones at the distances 1, 2, 4, …; when one of them fails, it
 * is told again to those that take its place. So it reaches all ranks that live.
 *
 * <p><b>Threads.</b> Safe for any thread; {@link #received} and {@link #isUsed} are for the owner of the rank's mailbox, to which the agreements and
 * what was told of the revocation belong.
 */
public final class CommFaults implements RankLosses.Listener {
    /** Number of the sequence of the agreements that the program makes. */
    public static final int PROGRAM = 0;
    /** Number of the sequence of the agreements on steps that create communicators. */
    public static final int CREATIONS = 1;
    private static final int FIRST_OWN = 2;
    /** Number of the sequence in the message of a revocation. */
    private static final int REVOKED = -1;

    private final CommContext comm;
    private final LostRanks lost = new LostRanks();
    /** Those of the hidden communicators that belong to this one, which are revoked with it. */
    private final List<CommFaults> hidden = new CopyOnWriteArrayList<>();
    private final AtomicInteger ownSequences = new AtomicInteger(FIRST_OWN);
    /** Completed when another rank is lost. */
    private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();
    /** The indices among all ranks of those that are lost, but for this rank: it is being ended when it is held to be lost. */
    private RankSet dead = RankSet.none();
    private final SortedMap<Integer, Agreements> sequences = new TreeMap<>();
    private boolean hasTold;

    CommFaults(final CommContext comm) {
        this.comm = comm;
    }

    /**
     * Begins to watch the ranks, when the communicator has its context id.
     *
     * @param outer of the communicator that a hidden one belongs to; null for others
     */
    void watch(final @Nullable CommFaults outer) {
        if (outer == null) {
            comm.owner().control().add(comm);
        } else {
            outer.hidden.add(this);
        }
        if (comm.spansJobs() || comm.owner().reportsLosses()) {
            comm.owner().job().losses().watch(comm.all(), this);
        }
        final MpiFailure revoked = outer == null ? null : outer.revocation();
        if (revoked != null) {
            revoke(revoked);
        }
    }

    /** Ends what {@link #watch} began. One that has lost ranks, or was revoked, goes on to answer ranks that have yet to decide. */
    void forget(final @Nullable CommFaults outer) {
        if (outer != null) {
            outer.hidden.remove(this);
        } else if (!isAffected()) {
            comm.owner().control().remove(comm);
        }
        if (outer != null || !isAffected()) {
            comm.owner().job().losses().unwatch(this);
        }
        lost.close();
    }

    @Override
    public void lost(final BitSet numbers, final MpiFailure why) {
        final Group all = comm.all();
        if (!lost.add(all, numbers, why)) {
            return;
        }
        comm.affected();
        waiting.forEach(told -> told.complete(null));
        waiting.clear();
        for (int r = 0; r < all.size(); r++) {
            final int number = all.worldRank(r);
            if (numbers.get(number) && comm.locality().isLocal(number)) {
                comm.locality().lose(r, why);
            }
        }
        apply();
        comm.owner().control().submit(this::tellLost);
    }

    private void apply() {
        final PeerLoss effect = lost.effect(comm);
        if (effect != null) {
            comm.owner().mailbox().submit(effect);
        }
    }

    private void tellLost() {
        dead = indices(lost.inOrder()).minus(RankSet.of(comm.members().index()));
        sequences.values().forEach(s -> s.lost(dead));
        if (hasTold) {
            tellRevoked();
        }
    }

    private RankSet indices(final int[] numbers) {
        final int[] indices = new int[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            indices[i] = comm.all().rankOf(numbers[i]);
        }
        return RankSet.of(indices);
    }

    /** Returns whether ranks are lost, or the communicator was revoked. */
    public boolean isAffected() {
        return !lost.isEmpty() || isRevoked();
    }

    /** Returns the ranks that are known to be lost, of both groups, in the order in which this rank was told. */
    public Group failed() {
        return Group.of(lost.inOrder());
    }

    /** Returns why calls that need a rank, given by its number, fail; null while they do not. */
    @Nullable
    MpiFailure failureOf(final int number) {
        return lost.failure(number);
    }

    /**
     * Acknowledges the first ranks of {@link #failed()}: receives from any source do not fail because of them any more.
     *
     * @return how many are acknowledged now
     */
    public int acknowledge(final int count) {
        final int now = lost.acknowledge(count);
        apply();
        return now;
    }

    /** Returns a stage that completes when another rank is known to be lost than some, given by their indices among all. */
    public CompletionStage<Void> lossBeyond(final RankSet known) {
        final CompletableFuture<Void> told = new CompletableFuture<>();
        waiting.add(told);
        if (!known.containsAll(indices(lost.inOrder()))) {
            told.complete(null);
        }
        return told;
    }

    /** Counts an operation that makes agreements of its own, equally on all ranks; returns the number of their sequence. */
    public int countSequence() {
        return ownSequences.getAndIncrement();
    }

    /**
     * Votes in an agreement of all ranks that live, together with the lost ranks that are known, and acknowledged, now. The ranks make the same
     * agreements of a sequence in the same order.
     *
     * @param sequence number of the sequence: a constant of this class, or that of an operation which makes its own
     * @param decided is told the outcome, by the owner of the mailbox, in which ranks are indices among all
     */
    public void agree(final int sequence, final int flag, final Consumer<Vote> decided) {
        final Vote vote = new Vote(flag, indices(lost.inOrder()), indices(lost.acknowledged()));
        comm.owner().control().submit(() -> sequence(sequence).vote(vote, decided));
    }

    private Agreements sequence(final int number) {
        return sequences.computeIfAbsent(number, n -> {
            final Agreements made = new Agreements(comm, n);
            made.lost(dead);
            return made;
        });
    }

    /** Revokes the communicator, and tells all its ranks. Returns at once. */
    public void revoke() {
        revoke(revocation(""));
        comm.owner().control().submit(this::passOn);
    }

    private MpiFailure revocation(final String how) {
        // Cause: a rank has called `revoke`, since another one has failed, for example. Remedy: `shrink` it, and go on with the result.
        return MpiFailure.revoked("communicator was revoked" + how + ": comm=" + comm.name());
    }

    /** Fails all calls that wait, and later ones, on this rank. */
    private void revoke(final MpiFailure why) {
        if (lost.revoke(why)) {
            comm.affected();
            comm.locality().revoke(why);
            apply();
            hidden.forEach(h -> h.revoke(why));
        }
    }

    private void passOn() {
        if (!hasTold) {
            hasTold = true;
            tellRevoked();
            if (comm.owner().reportsLosses()) {
                // others may be in a creation, which this rank begins no more
                sequence(CREATIONS).close();
            }
        }
    }

    private void tellRevoked() {
        final int size = comm.all().size();
        for (int distance = 1; distance < size; distance <<= 1) {
            tellRevoked(distance, size);
            tellRevoked(size - distance, size);
        }
    }

    /** Tells the first rank that lives from a distance on. */
    private void tellRevoked(final int distance, final int size) {
        final int self = comm.members().index();
        int to = (self + distance) % size;
        while (dead.contains(to)) {
            to = (to + 1) % size;
        }
        if (to != self) {
            comm.control(to, ByteBuffer.allocate(Integer.BYTES).putInt(REVOKED).array());
        }
    }

    /** Returns whether this rank knows that the communicator was revoked. */
    public boolean isRevoked() {
        return revocation() != null;
    }

    /** Returns why calls fail, since the communicator was revoked; null while they do not. */
    public @Nullable MpiFailure revocation() {
        return lost.revocation();
    }

    /** Returns whether there was an agreement, or a revocation. */
    boolean isUsed() {
        return hasTold || !sequences.isEmpty();
    }

    /**
     * Takes a message from a rank, given by its index among all.
     *
     * @throws IllegalArgumentException if it is none
     */
    void received(final int from, final byte[] message) {
        if (message.length < Integer.BYTES) {
            throw new IllegalArgumentException("message is too short: bytes=" + message.length);
        }
        final ByteBuffer bytes = ByteBuffer.wrap(message);
        final int sequence = bytes.getInt();
        if (sequence == REVOKED) {
            revoke(revocation(", as rank of COMM_WORLD " + comm.all().worldRank(from) + " has told"));
            passOn();
        } else if (sequence < 0) {
            throw new IllegalArgumentException("sequence out of range: sequence=" + sequence + ", min=0");
        } else {
            sequence(sequence).received(from, bytes);
        }
    }
}
