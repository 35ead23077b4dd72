package tutti.runtime.window;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.MemoryWords;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/**
 * The signals of a rank with which groups begin and end epochs: that it lets a rank access its memory, and that its accesses to a rank are
 * complete. A signal is a word where both ranks have it, else an empty message. A rank that has to wait says so in the word, and waits for a
 * message: so it waits as for any other one.
 *
 * <p><b>Threads.</b> One thread at a time.
 */
final class EpochSignals {
    private static final byte[] NO_BYTES = {};
    /** Most ranks that meet by signals: more of them do better with the barrier of the communicator. */
    private static final int MOST_MEETING = 8;
    /** Looks for a word before a rank waits for a message: about as long as that would take. */
    private static final int LOOKS = 20;

    /** A kind of signal. */
    enum Signal { POSTED, COMPLETE, FENCE }

    /** A signal that this rank expects of another one. */
    final class Expected {
        private final Signal signal;
        private final int from;
        private final @Nullable MemoryWords words;
        private final int origin;
        private @Nullable Request message;
        private boolean isReceived;

        private Expected(final Signal signal, final int from, final @Nullable MemoryWords words, final int origin) {
            this.signal = signal;
            this.from = from;
            this.words = words;
            this.origin = origin;
        }

        /** Returns whether it was given. */
        boolean test() {
            return isReceived || take(1) || receive(request().test());
        }

        /** Waits until it is given. */
        void await() {
            if (!isReceived && !take(LOOKS)) {
                request().await();
                receive(true);
            }
        }

        /** Looks for the word some times, unless a message is expected. */
        private boolean take(final int looks) {
            if (words != null && message == null) {
                for (int i = 0; i < looks && !isReceived; i++) {
                    isReceived = words.tryTake(origin, signal.ordinal());
                    Thread.onSpinWait();
                }
                isReceived = isReceived || !words.tryExpect(origin, signal.ordinal()) && words.tryTake(origin, signal.ordinal());
            }
            return isReceived;
        }

        private Request request() {
            Request known = message;
            if (known == null) {
                known = messages.irecv(NO_BYTES, 0, Datatype.BYTE, from, signal.ordinal());
                message = known;
            }
            return known;
        }

        private boolean receive(final boolean isThere) {
            if (isThere && words != null) {
                words.received(origin, signal.ordinal());
            }
            isReceived = isThere;
            return isThere;
        }
    }

    private final PointToPoint messages;
    private final WindowTarget[] targets;
    private final int self;

    EpochSignals(final CommContext context, final WindowTarget[] targets) {
        this.messages = PointToPoint.internal(context, ContextIds.WINDOWS);
        this.targets = targets;
        this.self = context.rank();
    }

    /** Tells a rank that it may access this rank's memory. */
    void post(final int origin) {
        give(Signal.POSTED, origin, ofOwnMemory(origin), origin);
    }

    /** Returns what a rank tells by {@link #post}. */
    Expected posted(final int target) {
        return new Expected(Signal.POSTED, target, targets[target].words(), self);
    }

    /** Tells a rank that the accesses to its memory which were submitted are complete when the signal is there. */
    void complete(final int target) {
        // a message follows accesses that another node carries out, a word does not
        give(Signal.COMPLETE, target, targets[target].isLocal() ? targets[target].words() : null, self);
    }

    /** Returns what a rank tells by {@link #complete}. */
    Expected completed(final int origin) {
        return new Expected(Signal.COMPLETE, origin, ofOwnMemory(origin), origin);
    }

    /**
     * Returns whether ranks can {@link #meet}: each has the words of all. All ranks find the same: those with one leader share memory, or no rank
     * shares any with other JVMs.
     */
    static boolean canMeet(final WindowTarget[] targets) {
        final int leader = targets[0].memory().leader();
        return targets.length <= MOST_MEETING && Arrays.stream(targets).allMatch(t -> t.words() != null && t.memory().leader() == leader);
    }

    /** Waits until all ranks are here: each tells those at distances 1, 2, 4 and so on, as in the dissemination barrier. */
    void meet() {
        final int ranks = targets.length;
        for (int distance = 1; distance < ranks; distance *= 2) {
            give(Signal.FENCE, (self + distance) % ranks, targets[(self + distance) % ranks].words(), self);
            final int from = (self + ranks - distance) % ranks;
            new Expected(Signal.FENCE, from, targets[self].words(), from).await();
        }
    }

    private @Nullable MemoryWords ofOwnMemory(final int other) {
        return targets[other].words() == null ? null : targets[self].words();
    }

    private void give(final Signal signal, final int to, final @Nullable MemoryWords words, final int origin) {
        if (words == null || !words.trySignal(origin, signal.ordinal())) {
            messages.isend(SendMode.STANDARD, NO_BYTES, 0, Datatype.BYTE, to, signal.ordinal()).free();
        }
    }
}
