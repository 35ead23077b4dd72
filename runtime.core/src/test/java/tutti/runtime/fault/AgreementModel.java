package tutti.runtime.fault;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Explores all orders in which the ranks of an {@link Agreement} can vote, receive, fail and be told of failures, and checks each state.
 *
 * <p>A state has the agreement of each live rank, and the messages under way from each rank to each other, in their order. These happen in any order:
 * a rank votes; it receives the first message from another rank; it fails; a live rank is told of some failed ranks at once; all that is under way
 * from a failed rank to another one is lost. So of the messages of a failed rank to each other one, any number arrives, before or after its loss is
 * told.
 *
 * <p>Nothing is left out: that a failed rank has no state and receives nothing only drops what no rank can see any more. A rank that has learned of a
 * loss from a message is not told of it, which would change nothing. Starts that know of failures are those in which ranks are told before they vote.
 *
 * <p>Visited states are kept as hashes of 128 bits. Agreements, messages and channels have numbers, and the result of each event at each agreement is
 * computed once.
 */
final class AgreementModel {
    private static final int DEAD = -1;

    /** An event at a rank, without those of the others. */
    private record Event(int agreement, int from, int message, RankSet lost) {}

    /** What follows from an event: the number of the next agreement, and the messages by number. */
    private record Result(int next, int[] to, int[] messages) {}

    /** Gives equal objects one number. */
    private static final class Numbers<T> {
        private final Map<T, Integer> numbers = new HashMap<>();
        private final List<T> objects = new ArrayList<>();

        int of(final T object) {
            return numbers.computeIfAbsent(object, o -> {
                objects.add(o);
                return objects.size() - 1;
            });
        }

        T get(final int number) {
            return objects.get(number);
        }
    }

    /** Set of pairs of numbers, of which no first one is 0. */
    private static final class Hashes {
        private long[] table = new long[1 << 12];
        private long size;

        /** Adds a pair; returns whether it is new. */
        boolean add(final long first, final long second) {
            if (4 * size > table.length) {
                final long[] old = table;
                table = new long[2 * old.length];
                for (int i = 0; i < old.length; i += 2) {
                    if (old[i] != 0) {
                        final int at = find(old[i], old[i + 1]);
                        table[at] = old[i];
                        table[at + 1] = old[i + 1];
                    }
                }
            }
            final int at = find(first, second);
            if (table[at] != 0) {
                return false;
            }
            table[at] = first;
            table[at + 1] = second;
            size++;
            return true;
        }

        private int find(final long first, final long second) {
            int at = (int) (first >>> 1) & table.length - 1 & ~1;
            while (table[at] != 0 && (table[at] != first || table[at + 1] != second)) {
                at = at + 2 & table.length - 1;
            }
            return at;
        }
    }

    private final int ranks;
    private final int deaths;
    private final Numbers<Agreement> agreements = new Numbers<>();
    private final Numbers<AgreementMessage> messages = new Numbers<>();
    private final Numbers<List<Integer>> channels = new Numbers<>();
    private final Map<Event, Result> results = new HashMap<>();
    private final Hashes visited = new Hashes();
    private final List<Long> path = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private long steps;
    private long terminals;
    private int depth;

    /**
     * Creates the model.
     *
     * @param ranks  number of ranks
     * @param deaths how many of them may fail
     */
    AgreementModel(final int ranks, final int deaths) {
        this.ranks = ranks;
        this.deaths = deaths;
        channels.of(List.of());
    }

    /**
     * Explores all states.
     *
     * @param votesLate whether ranks vote at any time, instead of before anything else
     */
    AgreementModel explore(final boolean votesLate) {
        final int[] state = new int[ranks + ranks * ranks];
        for (int r = 0; r < ranks; r++) {
            state[r] = agreements.of(Agreement.of(r, ranks, RankSet.none()));
        }
        int[] start = state;
        for (int r = 0; r < ranks && !votesLate; r++) {
            start = after(start, r, new Event(start[r], r, 0, RankSet.none()));
        }
        visit(start);
        return this;
    }

    long states() {
        return visited.size;
    }

    @Override
    public String toString() {
        return ranks + " ranks, " + deaths + " deaths: " + states() + " states, " + steps + " steps, " + terminals + " terminal states, depth "
            + depth + ", " + agreements.objects.size() + " states of a rank, " + messages.objects.size() + " messages";
    }

    /** The vote of a rank shows in the outcome whether it was counted: its bit is cleared. */
    static Vote voteOf(final int rank, final int ranks, final RankSet dead) {
        return new Vote(~(1 << rank), dead, RankSet.all(ranks).minus(RankSet.of(rank)));
    }

    /** Checks an outcome of a live rank. */
    static @Nullable String error(final Vote outcome, final int ranks, final RankSet dead) {
        final RankSet covered = RankSet.all(ranks).minus(outcome.acknowledged());
        int flag = -1;
        for (final int rank : covered.toArray()) {
            flag &= ~(1 << rank);
        }
        if (flag != outcome.flag()) {
            return "votes are combined wrongly";
        }
        if (!covered.union(dead).equals(RankSet.all(ranks))) {
            return "a live rank's vote is missing";
        }
        if (!dead.containsAll(outcome.failed())) {
            return "a live rank is said to have failed";
        }
        return covered.union(outcome.failed()).equals(RankSet.all(ranks)) ? null : "a rank is neither counted nor said to have failed";
    }

    private void visit(final int[] state) {
        final long first = hash(state, 0x9E3779B97F4A7C15L) | 1;
        if (!visited.add(first, hash(state, 0xC2B2AE3D27D4EB4FL))) {
            require(!path.contains(first), state, () -> "can go on without end");
            return;
        }
        path.add(first);
        depth = Math.max(depth, path.size());
        final RankSet dead = check(state);
        final long before = steps;
        for (int to = 0; to < ranks; to++) {
            if (state[to] != DEAD) {
                atLive(state, to, dead);
            }
        }
        if (steps == before) {
            terminals++;
            for (int r = 0; r < ranks; r++) {
                final int rank = r;
                require(state[r] == DEAD || agreements.get(state[r]).outcome() != null, state, () -> "undecided: rank=" + rank);
            }
        }
        if (dead.size() < deaths) {
            for (int r = 0; r < ranks; r++) {
                if (state[r] != DEAD) {
                    final int[] next = state.clone();
                    next[r] = DEAD;
                    for (int from = 0; from < ranks; from++) {
                        next[channel(from, r)] = 0;
                    }
                    next(next, "rank " + r + " fails");
                }
            }
        }
        path.removeLast();
    }

    /** Goes on with all events at a live rank, and the losses of what is under way to it. */
    private void atLive(final int[] state, final int to, final RankSet dead) {
        final Agreement agreement = agreements.get(state[to]);
        if (!agreement.hasVoted()) {
            next(after(state, to, new Event(state[to], to, 0, RankSet.none())), "rank " + to + " votes");
        }
        for (int from = 0; from < ranks; from++) {
            final int channel = channel(from, to);
            if (state[channel] != 0) {
                final List<Integer> underWay = channels.get(state[channel]);
                final int[] rest = state.clone();
                rest[channel] = channels.of(List.copyOf(underWay.subList(1, underWay.size())));
                next(after(rest, to, new Event(state[to], from, underWay.getFirst(), RankSet.none())),
                    "rank " + to + " receives from " + from + ": " + messages.get(underWay.getFirst()));
                if (state[from] == DEAD) {
                    final int[] lost = state.clone();
                    lost[channel] = 0;
                    next(lost, "messages from " + from + " to " + to + " are lost");
                }
            }
        }
        final int[] untold = dead.minus(agreement.dead()).toArray();
        for (int subset = 1; subset < 1 << untold.length; subset++) {
            RankSet told = RankSet.none();
            for (int i = 0; i < untold.length; i++) {
                told = (subset >> i & 1) != 0 ? told.with(untold[i]) : told;
            }
            next(after(state, to, new Event(state[to], to, 0, told)), "rank " + to + " is told of the loss of " + told);
        }
    }

    private void next(final int[] state, final String event) {
        steps++;
        trace.add(event);
        visit(state);
        trace.removeLast();
    }

    private int channel(final int from, final int to) {
        return ranks + from * ranks + to;
    }

    private int[] after(final int[] state, final int rank, final Event event) {
        final Result result = results.computeIfAbsent(event, e -> resultOf(e, rank));
        final int[] next = state.clone();
        next[rank] = result.next;
        for (int i = 0; i < result.to.length; i++) {
            final int to = result.to[i];
            if (state[to] != DEAD) {
                final List<Integer> underWay = new ArrayList<>(channels.get(next[channel(rank, to)]));
                underWay.add(result.messages[i]);
                next[channel(rank, to)] = channels.of(List.copyOf(underWay));
            }
        }
        return next;
    }

    private Result resultOf(final Event event, final int rank) {
        final Agreement agreement = agreements.get(event.agreement);
        final Agreement.Step step;
        if (event.from != rank) {
            step = agreement.received(event.from, messages.get(event.message));
        } else if (event.lost.isEmpty()) {
            step = agreement.vote(voteOf(rank, ranks, agreement.dead()));
        } else {
            step = agreement.lost(event.lost);
        }
        return new Result(agreements.of(step.next()), step.sendings().stream().mapToInt(Agreement.Sending::to).toArray(),
            step.sendings().stream().mapToInt(s -> messages.of(s.message())).toArray());
    }

    /** Checks what holds in every state; returns the dead ranks. */
    private RankSet check(final int[] state) {
        RankSet dead = RankSet.none();
        for (int r = 0; r < ranks; r++) {
            dead = state[r] == DEAD ? dead.with(r) : dead;
        }
        @Nullable
        Vote decided = null;
        for (int r = 0; r < ranks; r++) {
            final int rank = r;
            final Vote outcome = state[r] == DEAD ? null : agreements.get(state[r]).outcome();
            if (outcome != null) {
                final Vote other = decided;
                require(other == null || outcome.equals(other), state, () -> "two outcomes: " + outcome + " and " + other);
                final String error = error(outcome, ranks, dead);
                require(error == null, state, () -> "rank " + rank + ": " + error + ": " + outcome);
                decided = outcome;
            }
        }
        return dead;
    }

    private void require(final boolean holds, final int[] state, final Supplier<String> message) {
        if (!holds) {
            throw new AssertionError(message.get() + "\n" + String.join("\n", trace) + "\n" + Arrays.stream(state, 0, ranks)
                .mapToObj(a -> a == DEAD ? "dead" : agreements.get(a).toString()).toList());
        }
    }

    private static long hash(final int[] state, final long seed) {
        long hash = seed;
        for (final int number : state) {
            hash = (hash ^ number) * 0xD6E8FEB86659FD93L;
            hash ^= hash >>> 32;
        }
        hash *= 0xD6E8FEB86659FD93L;
        return hash ^ hash >>> 29;
    }
}
