package tutti.runtime.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Runs an {@link Agreement} of many ranks in a random order of events, which the seed determines. */
final class AgreementNetwork {
    /** What can happen. */
    private enum Kind { VOTE, RECEIVE, FAIL, TELL, LOSE }

    /** An event of a rank, and the other one that it is about. */
    private record Event(Kind kind, int rank, int other) {}

    /** A message under way, and how many messages had to arrive before it and in turn before each other. */
    private record UnderWay(AgreementMessage message, int depth) {}

    private static final double[] WAITING = {0, 0.5, 0.9, 0.99};

    private final int ranks;
    private final SplittableRandom random;
    private final @Nullable Agreement[] agreements;
    private final int[] depths;
    private final Map<Integer, Deque<UnderWay>> channels = new HashMap<>();
    private final List<Event> events = new ArrayList<>();
    private final double[] waiting = new double[Kind.values().length];
    private final int seed;
    private RankSet failed = RankSet.none();
    private int messages;

    /**
     * Creates the ranks.
     *
     * @param known ranks that have failed before, as all others know
     * @param fail  ranks that fail at random times
     */
    AgreementNetwork(final int ranks, final RankSet known, final RankSet fail, final int seed) {
        this.ranks = ranks;
        this.seed = seed;
        random = new SplittableRandom(seed);
        agreements = new Agreement[ranks];
        depths = new int[ranks];
        failed = known;
        for (int r = 0; r < ranks; r++) {
            if (!known.contains(r)) {
                agreements[r] = Agreement.of(r, ranks, known);
                events.add(new Event(Kind.VOTE, r, r));
            }
        }
        for (final int r : fail.minus(known).toArray()) {
            events.add(new Event(Kind.FAIL, r, r));
        }
        for (int i = 0; i < waiting.length; i++) {
            waiting[i] = WAITING[random.nextInt(WAITING.length)];
        }
    }

    /** Lets everything happen, and checks that all survivors have one valid outcome. */
    AgreementNetwork run() {
        while (!events.isEmpty()) {
            final int at = random.nextInt(events.size());
            final Event event = events.get(at);
            if (random.nextDouble() >= waiting[event.kind.ordinal()]) {
                final Event last = events.removeLast();
                if (at < events.size()) {
                    events.set(at, last);
                }
                happen(event);
            }
        }
        for (final Agreement agreement : agreements) {
            if (agreement != null) {
                assertNotNull(agreement.outcome(), this::toString);
            }
        }
        return this;
    }

    int messages() {
        return messages;
    }

    /** Returns how many messages had to arrive one after the other, at most. */
    int depth() {
        int most = 0;
        for (final int depth : depths) {
            most = Math.max(most, depth);
        }
        return most;
    }

    private void happen(final Event event) {
        final Agreement agreement = agreements[event.rank];
        if (agreement == null) {
            return;
        }
        final Deque<UnderWay> channel = channels.computeIfAbsent(event.other * ranks + event.rank, c -> new ArrayDeque<>());
        switch (event.kind) {
            case VOTE -> done(event.rank, agreement.vote(AgreementModel.voteOf(event.rank, ranks, agreement.dead())));
            case TELL -> done(event.rank, agreement.lost(random.nextBoolean() ? RankSet.of(event.other) : failed));
            case LOSE -> channel.clear();
            case RECEIVE -> {
                final UnderWay first = channel.poll();
                if (first != null) {
                    depths[event.rank] = Math.max(depths[event.rank], first.depth);
                    done(event.rank, agreement.received(event.other, first.message));
                }
            }
            case FAIL -> {
                agreements[event.rank] = null;
                failed = failed.with(event.rank);
                for (int r = 0; r < ranks; r++) {
                    events.add(new Event(Kind.TELL, r, event.rank));
                    if (random.nextBoolean()) {
                        events.add(new Event(Kind.LOSE, r, event.rank));
                    }
                }
            }
        }
    }

    private void done(final int rank, final Agreement.Step step) {
        final Agreement before = agreements[rank];
        agreements[rank] = step.next();
        for (final Agreement.Sending sending : step.sendings()) {
            messages++;
            channels.computeIfAbsent(rank * ranks + sending.to(), c -> new ArrayDeque<>()).add(new UnderWay(sending.message(), depths[rank] + 1));
            events.add(new Event(Kind.RECEIVE, sending.to(), rank));
        }
        final Vote outcome = step.next().outcome();
        if (outcome != null && before != null && before.outcome() == null) {
            assertNull(AgreementModel.error(outcome, ranks, failed), this::toString);
            for (final Agreement other : agreements) {
                if (other != null && other.outcome() != null) {
                    assertEquals(outcome, other.outcome(), this::toString);
                }
            }
        }
    }

    @Override
    public String toString() {
        return "ranks=" + ranks + ", seed=" + seed + ", failed=" + failed + ", messages=" + messages;
    }
}
