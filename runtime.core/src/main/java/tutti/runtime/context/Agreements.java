package tutti.runtime.context;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tutti.runtime.fault.Agreement;
import tutti.runtime.fault.AgreementFormat;
import tutti.runtime.fault.AgreementMessage;
import tutti.runtime.fault.RankSet;
import tutti.runtime.fault.Vote;

/**
 * A sequence of agreements of a communicator, one after the other, at one of its ranks. The ranks are those of both groups of an intercommunicator,
 * by their indices among all.
 *
 * <p>A rank votes in an agreement only after the one before is decided here. So the outcome of the last one is kept for ranks that have not received
 * it, and no earlier one is needed.
 *
 * <p><b>Threads.</b> All state belongs to the owner of the rank's mailbox.
 */
final class Agreements {
    /** Flag of a vote that no call has cast: it is in an outcome if all ranks that live have voted so. */
    private static final int AUTOMATIC = 1 << 30;
    /** Number of bytes before an agreement's message: the numbers of the sequence, and of the agreement. */
    private static final int HEADER = Integer.BYTES + Long.BYTES;

    private final CommContext comm;
    private final int sequence;
    private final int size;
    private final int self;
    private RankSet dead = RankSet.none();
    /** Number of the agreement that is not decided here. */
    private long number;
    private Agreement current;
    /** The agreement before; null before the first is decided. */
    private @Nullable Agreement last;
    /** Receives the outcome of the current agreement; null while this rank has not voted in it. */
    private @Nullable Consumer<Vote> decided;
    private final Deque<Ballot> waiting = new ArrayDeque<>();
    /** Messages of the agreement after the current one, which other ranks have begun. */
    private List<Early> early = new ArrayList<>();

    /** Set when the votes are automatic: see {@link #close}. */
    private boolean isClosed;

    private record Ballot(Vote vote, Consumer<Vote> decided) {}

    private record Early(int from, AgreementMessage message) {}

    /**
     * Creates a sequence.
     *
     * @param sequence its number among those of the communicator, from 0; equal on all ranks
     */
    Agreements(final CommContext comm, final int sequence) {
        this.comm = comm;
        this.sequence = sequence;
        this.size = comm.all().size();
        this.self = comm.members().index();
        this.current = Agreement.of(self, size, dead);
    }

    /**
     * Votes in the next agreement; the outcome is told by the owner of the mailbox.
     *
     * @param vote of a sequence that is closed at some time, without bit 30 in its flag
     */
    void vote(final Vote vote, final Consumer<Vote> whenDecided) {
        waiting.add(new Ballot(vote, whenDecided));
        voteNext();
    }

    private void voteNext() {
        if (isClosed) {
            final List<Ballot> refused = List.copyOf(waiting);
            waiting.clear();
            refused.forEach(b -> b.decided().accept(new Vote(0, dead, RankSet.none())));
        } else if (decided == null && !waiting.isEmpty()) {
            final Ballot next = waiting.remove();
            decided = next.decided();
            advance(current.vote(next.vote()));
        }
    }

    /**
     * Ends the votes of this rank's calls, whose outcome has no flag from now on, but for one that was cast. In their place the rank votes for no
     * flag, as long as others may vote: until all have done this.
     */
    void close() {
        isClosed = true;
        voteNext();
        voteAutomatically();
    }

    private void voteAutomatically() {
        final Vote outcome = last == null ? null : last.outcome();
        if (isClosed && decided == null && (outcome == null || (outcome.flag() & AUTOMATIC) == 0)) {
            decided = o -> {
                // no call waits for it
            };
            advance(current.vote(new Vote(AUTOMATIC, dead, RankSet.none())));
        }
    }

    /** Takes the loss of ranks into account, by their indices. */
    void lost(final RankSet ranks) {
        // a rank that is held to be lost is being ended
        dead = dead.union(ranks).minus(RankSet.of(self));
        if (last != null) {
            final Agreement.Step step = last.lost(dead);
            last = step.next();
            send(number - 1, step.sendings());
        }
        advance(current.lost(dead));
    }

    /**
     * Takes a message from a rank, given by its index.
     *
     * @param bytes the message after the number of the sequence
     * @throws IllegalArgumentException if it is none
     */
    void received(final int from, final ByteBuffer bytes) {
        if (bytes.remaining() < Long.BYTES) {
            throw new IllegalArgumentException("message of an agreement is too short: bytes=" + bytes.remaining());
        }
        final long of = bytes.getLong();
        final AgreementMessage read = AgreementFormat.read(bytes, size);
        if (of == number) {
            advance(current.received(from, read));
        } else if (of == number + 1) {
            early.add(new Early(from, read));
        } else if (of == number - 1 && last != null) {
            final Agreement.Step step = last.received(from, read);
            last = step.next();
            send(of, step.sendings());
        }
    }

    private void advance(final Agreement.Step step) {
        current = step.next();
        send(number, step.sendings());
        final Vote outcome = current.outcome();
        if (outcome == null) {
            return;
        }
        last = current;
        number++;
        current = Agreement.of(self, size, dead);
        final List<Early> arrived = early;
        early = new ArrayList<>();
        final Consumer<Vote> whenDecided = Objects.requireNonNull(decided, "no rank decides without this rank's vote");
        decided = null;
        whenDecided.accept(outcome);
        arrived.forEach(e -> advance(current.received(e.from(), e.message())));
        voteNext();
        voteAutomatically();
    }

    private void send(final long of, final List<Agreement.Sending> sendings) {
        for (final Agreement.Sending s : sendings) {
            final byte[] message = AgreementFormat.write(s.message());
            comm.control(s.to(), ByteBuffer.allocate(HEADER + message.length).putInt(sequence).putLong(of).put(message).array());
        }
    }
}
