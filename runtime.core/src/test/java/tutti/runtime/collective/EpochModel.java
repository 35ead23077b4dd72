package tutti.runtime.collective;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A model of ranks that change their epochs while their programs call. Each rank has the {@link EpochSequence}s of a communicator; a search tries all
 * interleavings of the steps of programs and helper threads, and checks that all ranks serve a call by the same epoch.
 *
 * <p>A step is atomic: the sequences lock, or need not (see their stress test). The search runs each prefix from the start, and none from a state
 * that it has met.
 */
final class EpochModel {
    /** The epochs, in order. */
    enum Modules { FIRST, SECOND, THIRD }

    /** A step that a rank can take next. */
    enum Kind {
        /** A thread of the program counts its call. */
        COUNT,
        /** The thread looks up the epoch in which its call is prepared. */
        LOOK_UP_PREPARED,
        /** The thread looks up the epoch of its call. */
        LOOK_UP,
        /** The helper proposes the first call that is prepared in the next epoch. */
        PROPOSE_PREPARED,
        /** The helper proposes the first call of the next epoch. */
        PROPOSE,
        /** The helper knows the maximum of all proposals. */
        DECIDE,
        /** The helper knows that of the calls that are prepared. */
        DECIDE_PREPARED,
        /** The helper knows that a rank takes no part: the epoch goes on. */
        STAY,
        /** The helper asks when all calls have begun that are prepared in the last epoch. */
        ASK,
        /** The helper goes on when they have. */
        REACHED,
        /** The last call of an epoch has ended. */
        FORGET
    }

    /** The change of epochs of one communicator, or of one persistent call. */
    static final List<Kind> CHANGE = List.of(Kind.PROPOSE, Kind.DECIDE);
    /** A change after which the epoch is the same. */
    static final List<Kind> NO_CHANGE = List.of(Kind.PROPOSE, Kind.STAY);
    /** A change with a sequence for calls that are prepared. */
    static final List<Kind> PREPARED_CHANGE =
        List.of(Kind.PROPOSE_PREPARED, Kind.PROPOSE, Kind.DECIDE, Kind.DECIDE_PREPARED, Kind.ASK, Kind.REACHED);

    /** Derives the first call of the next epoch from the proposals of all ranks, at one of them. */
    @FunctionalInterface
    interface Rule {
        /** All ranks begin with the highest proposal. */
        Rule MAXIMUM = (limits, rank) -> Arrays.stream(limits).max().orElseThrow();

        /** Returns the first call. */
        long first(long[] limits, int rank);
    }

    /**
     * Describes a search.
     *
     * @param calls   number of calls of each rank
     * @param threads number of threads of each rank that call at a time
     * @param windows window of each rank, repeated
     * @param changes what the helper does in each change
     */
    record Setup(int ranks, int calls, int threads, List<Integer> windows, List<List<Kind>> changes, Rule rule) {
        boolean hasPrepared() {
            return changes.getFirst().contains(Kind.DECIDE_PREPARED);
        }

        int window(final int rank) {
            return windows.get(rank % windows.size());
        }
    }

    /** A step of a rank; {@code number} is that of the call, or of the change. */
    record Step(Kind kind, int rank, int number) {}

    /** Thrown by a call that would wait. */
    private static final class Blocked extends RuntimeException {
        private static final long serialVersionUID = 1;

        Blocked() {
            super(null, null, false, false);
        }
    }

    private static final Blocked BLOCKED = new Blocked();
    private static final int MAX_STATES = 2_000_000;

    private final Setup setup;
    private final List<Rank> ranks;
    private final List<Step> path = new ArrayList<>();

    private EpochModel(final Setup setup) {
        this.setup = setup;
        this.ranks = IntStream.range(0, setup.ranks()).mapToObj(Rank::new).toList();
    }

    /**
     * Tries all interleavings.
     *
     * @return number of states
     * @throws AssertionError when one violates what is to hold
     */
    static int search(final Setup setup) {
        final Set<List<String>> met = new HashSet<>();
        final List<List<Step>> open = new ArrayList<>();
        open.add(List.of());
        while (!open.isEmpty()) {
            final List<Step> prefix = open.removeLast();
            final List<Step> enabled = replay(setup, prefix).candidates();
            boolean isStuck = true;
            for (final Step step : enabled) {
                final EpochModel model = replay(setup, prefix);
                if (model.take(step)) {
                    isStuck = false;
                    if (met.add(model.state())) {
                        open.add(List.copyOf(model.path));
                    }
                }
            }
            if (isStuck) {
                replay(setup, prefix).checkEnd();
            }
            if (met.size() > MAX_STATES) {
                throw new AssertionError("too many states: " + setup);
            }
        }
        return met.size();
    }

    private static EpochModel replay(final Setup setup, final List<Step> prefix) {
        final EpochModel model = new EpochModel(setup);
        prefix.forEach(model::take);
        return model;
    }

    /** Returns the steps that ranks come to next; some must wait. */
    private List<Step> candidates() {
        return ranks.stream().flatMap(r -> r.candidates().stream()).toList();
    }

    /** Takes a step; returns false if it must wait. */
    private boolean take(final Step step) {
        path.add(step);
        try {
            ranks.get(step.rank()).take(step);
            return true;
        } catch (final Blocked e) {
            path.removeLast();
            return false;
        }
    }

    /** Returns the state; the same for states in which only the ranks are interchanged. */
    private List<String> state() {
        return ranks.stream().map(Rank::state).sorted().toList();
    }

    private void check(final boolean holds, final String what) {
        if (!holds) {
            throw new AssertionError(
                what + " after " + path.stream().map(s -> s.rank() + ":" + s.kind() + s.number()).collect(Collectors.joining(" "))
                    + ranks.stream().map(r -> "\n" + r.state()).collect(Collectors.joining()) + "\n" + setup);
        }
    }

    /** Checks a state in which no rank can take a step. */
    private void checkEnd() {
        ranks.forEach(Rank::checkEnd);
    }

    /** One rank, with the calls of its program and its helper thread. */
    private final class Rank {
        private final int index;
        private final EpochSequence<Modules> sequence = new EpochSequence<>(Modules.FIRST);
        private final EpochSequence<Modules> prepared = new EpochSequence<>(Modules.FIRST);
        private final @Nullable Modules[] served = new Modules[setup.calls()];
        private final @Nullable Modules[] servedPrepared = new Modules[setup.calls()];
        /** The calls that are counted and not looked up. */
        private final List<Integer> pending = new ArrayList<>();
        private int counted;
        /** Number of steps of the helper, in all changes. */
        private int helped;
        private final List<Long> limits = new ArrayList<>();
        private final List<Long> preparedLimits = new ArrayList<>();
        private final List<Long> firsts = new ArrayList<>();
        private final List<Long> preparedFirsts = new ArrayList<>();
        private final Set<Modules> forgotten = EnumSet.noneOf(Modules.class);
        private @Nullable CompletionStage<Void> asked;

        Rank(final int index) {
            this.index = index;
        }

        List<Step> candidates() {
            final List<Step> steps = new ArrayList<>();
            if (counted < setup.calls() && pending.size() < setup.threads()) {
                steps.add(new Step(Kind.COUNT, index, counted));
            }
            for (final int call : pending) {
                final boolean isNext = setup.hasPrepared() && servedPrepared[call] == null;
                steps.add(new Step(isNext ? Kind.LOOK_UP_PREPARED : Kind.LOOK_UP, index, call));
            }
            int before = helped;
            for (int change = 0; change < setup.changes().size(); change++) {
                final List<Kind> round = setup.changes().get(change);
                if (before < round.size()) {
                    steps.add(new Step(round.get(before), index, change));
                    break;
                }
                before -= round.size();
            }
            final List<Long> decided = setup.hasPrepared() ? preparedFirsts : firsts;
            for (int i = 0; i < decided.size(); i++) {
                if (!forgotten.contains(Modules.values()[i]) && hasServed(firsts.get(i))) {
                    steps.add(new Step(Kind.FORGET, index, i));
                }
            }
            return steps;
        }

        /** Returns whether all calls before one are looked up. */
        private boolean hasServed(final long first) {
            return counted >= first && pending.stream().allMatch(p -> p >= first);
        }

        private long fence() {
            return counted;
        }

        private void await(final CompletionStage<?> until) {
            check(!until.toCompletableFuture().isDone(), "waits for what is complete");
            throw BLOCKED;
        }

        void take(final Step step) {
            final int number = step.number();
            switch (step.kind()) {
                case COUNT -> pending.add(counted++);
                case LOOK_UP_PREPARED -> serve(servedPrepared, number, prepared.at(number, this::await));
                case LOOK_UP -> {
                    serve(served, number, sequence.at(number, this::await));
                    pending.remove((Integer) number);
                }
                case FORGET -> {
                    sequence.forget(Modules.values()[number]);
                    prepared.forget(Modules.values()[number]);
                    forgotten.add(Modules.values()[number]);
                }
                default -> help(step.kind(), number);
            }
            if (asked != null && asked.toCompletableFuture().isDone()) {
                check(counted >= preparedFirsts.getLast(), "reached too early");
            }
        }

        private void help(final Kind kind, final int change) {
            switch (kind) {
                case PROPOSE -> limits.add(sequence.propose(this::fence, setup.window(index)));
                case PROPOSE_PREPARED -> preparedLimits.add(prepared.propose(this::fence, 0));
                case DECIDE -> {
                    final long first = agreed(ranks.stream().map(r -> r.limits).toList(), change);
                    sequence.decide(first, Modules.values()[firsts.size() + 1]);
                    firsts.add(first);
                }
                case DECIDE_PREPARED -> {
                    final long first = agreed(ranks.stream().map(r -> r.preparedLimits).toList(), change);
                    prepared.decide(first, Modules.values()[preparedFirsts.size() + 1]);
                    preparedFirsts.add(first);
                }
                case STAY -> {
                    agreed(ranks.stream().map(r -> r.limits).toList(), change);
                    sequence.stay();
                }
                case ASK -> asked = sequence.reached(preparedFirsts.getLast(), this::fence);
                case REACHED -> {
                    if (asked == null || !asked.toCompletableFuture().isDone()) {
                        throw BLOCKED;
                    }
                    asked = null;
                }
                default -> throw new IllegalArgumentException(kind.name());
            }
            helped++;
        }

        /** Returns the first call of a change; waits until all ranks, for all proposals of the round, have proposed. */
        private long agreed(final List<List<Long>> proposed, final int change) {
            for (final Rank rank : ranks) {
                if (rank.limits.size() <= change || setup.hasPrepared() && rank.preparedLimits.size() <= change) {
                    throw BLOCKED;
                }
            }
            return setup.rule().first(proposed.stream().mapToLong(l -> l.get(change)).toArray(), index);
        }

        private void serve(final @Nullable Modules[] by, final int call, final Modules epoch) {
            by[call] = epoch;
            check(!forgotten.contains(epoch), "epoch that is closed serves call " + call + " of rank " + index);
            for (int other = 0; other < by.length; other++) {
                final Modules its = by[other];
                check(its == null || Integer.signum(epoch.compareTo(its)) * Integer.signum(call - other) >= 0, "epochs do not grow at rank " + index);
            }
            for (final Rank rank : ranks) {
                final Modules its = (by == served ? rank.served : rank.servedPrepared)[call];
                check(its == null || its == epoch, "epochs of call " + call + " differ at ranks " + index + " and " + rank.index);
            }
        }

        void checkEnd() {
            check(counted == setup.calls() && pending.isEmpty(), "program does not end at rank " + index);
            check(helped == setup.changes().stream().mapToInt(List::size).sum(), "helper does not end at rank " + index);
            checkEnd(sequence, served, firsts);
            if (setup.hasPrepared()) {
                checkEnd(prepared, servedPrepared, preparedFirsts);
            }
        }

        /** Checks that calls have the epochs that were decided, and that further ones have the last. */
        private void checkEnd(final EpochSequence<Modules> calls, final @Nullable Modules[] by, final List<Long> decided) {
            for (int call = 0; call < by.length; call++) {
                final long number = call;
                final int expected = (int) decided.stream().filter(f -> f <= number).count();
                check(by[call] == Modules.values()[expected], "call " + call + " is not served as decided at rank " + index);
            }
            final long beyond = Math.max(counted, decided.isEmpty() ? 0 : decided.getLast());
            check(calls.at(beyond, this::await) == Modules.values()[decided.size()], "last epoch does not serve at rank " + index);
        }

        String state() {
            return counted + " " + pending + Arrays.toString(served) + Arrays.toString(servedPrepared) + helped + limits + preparedLimits + firsts
                + preparedFirsts + forgotten + asked(asked) + setup.window(index) + sequence + "|" + prepared;
        }

        private static String asked(final @Nullable CompletionStage<Void> asked) {
            return asked == null ? "" : asked.toCompletableFuture().isDone() ? "!" : "?";
        }
    }

    /** Returns the same change, several times. */
    static List<List<Kind>> times(final int count, final List<Kind> change) {
        return Collections.nCopies(count, change);
    }
}
