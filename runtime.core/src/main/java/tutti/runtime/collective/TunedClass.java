package tutti.runtime.collective;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.schedule.CallSignature;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.select.Selection;
import tutti.runtime.tuning.DriftWatch;
import tutti.runtime.tuning.Samples;
import tutti.runtime.tuning.Trial;

/**
 * A class of calls on one communicator at one rank, during one epoch, and their tuning: calls of one operation and kind, within a power of two of
 * bytes.
 *
 * <pre>{@code
 * COUNTING  the selection serves the calls           after OFTEN blocking calls: TRYING
 * TRYING    a Trial says which algorithm serves      when a winner is found: KEEPING
 * KEEPING   the winner serves                        now and then some calls are measured; when their time has drifted: TRYING
 * UNTUNED   there is nothing to choose               for ever
 * }</pre>
 *
 * <p><b>Agreement.</b> Each measured call begins with one small exchange of all ranks ({@link OnlineTuning#combine}), of the maximum over ranks of
 * <ul>
 * <li>the time that the measured call before took on the rank,
 * <li>whether the rank cannot plan this call by the algorithm that is to serve it,
 * <li>the time of the exchange before, negative, so that the minimum is combined.
 * </ul>
 * The state of the class changes in blocking calls of the class alone, and depends on nothing but their number, their signature and what was
 * combined. So it is equal on all ranks in the same call, and each rank knows without another message which algorithm serves. A trial has no rounds
 * with an exchange of their own: it may drop a slow algorithm after its third call.
 *
 * <p><b>Statistic.</b> The time of a call is that of its slowest rank, as {@code tutti tune} and users count it: a root that has sent early does not
 * make an algorithm look fast. By itself this maximum would contain the time for which early ranks wait for late ones, and the minimum over ranks
 * would be that of a rank with nothing to do. The exchange removes the skew instead, since no rank leaves it before all have entered it. Over calls
 * the median counts, see {@link Trial}.
 *
 * <p><b>Cost.</b> Measured calls pay the exchange: up to about 80 in a trial of algorithms and 40 in one of a parameter, and six at a time later; it
 * is part of the regret. Other calls pay a look-up without lock or allocation. A kept algorithm that meets a new signature compares once whether all
 * ranks can plan it.
 *
 * <p><b>Failures.</b> An algorithm that some rank cannot plan, or whose plan is proved wrong, is dropped on all ranks before it serves; the selection
 * serves that call. One whose measured call fails is dropped with the next exchange.
 *
 * <p>Nonblocking and persistent calls are neither measured nor wait: the kept algorithm serves them where all ranks have planned it for their
 * signature. Since MPI orders the calls on a communicator, all ranks find the same one kept.
 *
 * @param <C> the type of the operation's calls
 */
final class TunedClass<C extends Call> {
    private enum Phase { COUNTING, TRYING, KEEPING, UNTUNED }

    private static final Logger LOG = LoggerFactory.getLogger(TunedClass.class);
    /** Number of blocking calls that make a class worth a trial. */
    private static final int OFTEN = 16;
    private static final long NEVER = Long.MAX_VALUE;
    /** The time of a call that failed. */
    private static final long FAILED = Long.MAX_VALUE;
    /** Number of calls of a trial of algorithms, and of one of values of a parameter. */
    private static final int BUDGET = 80;
    private static final int VARIANTS_BUDGET = 40;
    /** A second algorithm is tried with other values of its parameters when it takes at most this many times the time of the fastest. */
    private static final long NEAR = 2;
    private static final int TIME = 0;
    private static final int UNPLANNED = 1;
    private static final int EXCHANGE = 2;

    private final OnlineTuning tuning;
    private final CollTable table;
    private final ScheduleCache cache;
    private final TunedClasses.Key key;
    private final Operation<C> operation;
    /** All algorithms that were found, in the order in which they were tried first. */
    private final List<TunedAlgorithm<C>> known = new ArrayList<>();
    /** What the ranks combine. */
    private final long[] values = new long[EXCHANGE + 1];
    private final Samples recent = new Samples();
    private Phase phase = Phase.COUNTING;
    /** Number of blocking calls. */
    private long calls;
    /** Number of the blocking call that does more than be served by what is kept. */
    private long next = OFTEN;
    /** Number of the current call on the communicator. */
    private long number;
    private List<TunedAlgorithm<C>> contenders = List.of();
    private Trial trial = new Trial(0, 0, 0);
    /** Number of the parameter that the trial varies, from 1; 0 while it compares algorithms. */
    private int stage;
    private @Nullable DriftWatch watch;
    /** What serves calls that are not measured; null for the selection. */
    private @Nullable TunedAlgorithm<C> kept;
    /** What serves the current call. */
    private @Nullable TunedAlgorithm<C> serving;
    /** The algorithm with which the others were compared last. */
    private @Nullable TunedAlgorithm<C> reference;
    /** The algorithm that the selection named for the call with which the first trial began. */
    private @Nullable TunedAlgorithm<C> selected;
    private boolean isMeasured;
    /** Whether a measured call has ended whose time is to be combined. */
    private boolean isPending;
    private long pending;
    private long exchangeNanos;
    private int trials;
    private long regret;

    /**
     * Creates a class of calls. What was found out in an earlier epoch is taken over where the modules are the same.
     *
     * @param first the first of its calls
     */
    TunedClass(final OnlineTuning tuning, final CollTable table, final ScheduleCache cache, final TunedClasses.Key key, final Operation<C> operation,
        final C first) {
        this.tuning = tuning;
        this.table = table;
        this.cache = cache;
        this.key = key;
        this.operation = operation;
        final CallTuning earlier = tuning.result(key);
        if (earlier != null && earlier.isDecided()) {
            takeOver(earlier, first);
        }
    }

    TunedClasses.Key key() {
        return key;
    }

    /** Returns the number of blocking calls that have begun; for another thread, which may find an earlier value. */
    long calls() {
        return calls;
    }

    /** Returns what serves a nonblocking or persistent call that begins; null for the selection. */
    @Nullable
    TunedAlgorithm<C> keptFor(final C call) {
        final TunedAlgorithm<C> best = kept;
        return best != null && best.isPlanned(signature(call)) ? best : null;
    }

    /**
     * Begins a blocking call: chooses what {@link #serving serves} it, together with all ranks.
     *
     * @param sequence number of the call on the communicator
     * @throws MpiFailure when the ranks could not combine what they must; the call is not to run
     */
    void begin(final C call, final long sequence) {
        calls++;
        number = sequence;
        isMeasured = false;
        serving = null;
        if (calls >= next) {
            step(call);
        }
        if (!isMeasured && kept != null) {
            serve(call, kept);
        }
    }

    /** Returns what serves the blocking call that has begun; null for the selection. */
    @Nullable
    TunedAlgorithm<C> serving() {
        return serving;
    }

    /** Returns whether the time of the blocking call that has begun is measured. */
    boolean isMeasured() {
        return isMeasured;
    }

    /** Ends the blocking call that has begun and is measured; {@code nanos} is the time that it took. */
    void end(final boolean isWhole, final long nanos) {
        isPending = true;
        pending = isWhole ? Math.max(1, nanos) : FAILED;
    }

    private void step(final C call) {
        if (phase == Phase.COUNTING) {
            startTrial(call);
        } else if (phase == Phase.KEEPING) {
            measureAgain(call);
        }
        if (phase == Phase.TRYING) {
            tryNext(call);
        }
    }

    private void serve(final C call, final TunedAlgorithm<C> best) {
        final long signature = signature(call);
        if (!best.isPlanned(signature)) {
            exchange(!isPlannable(best, call));
            if (values[UNPLANNED] != 0) {
                giveUp(best, "cannot be planned on all ranks");
                return;
            }
            best.planned(signature);
        }
        serving = best;
    }

    /** Drops the algorithm that was kept. The next call begins a trial of the others. */
    private void giveUp(final TunedAlgorithm<C> best, final String why) {
        best.refuse(why);
        kept = null;
        phase = Phase.COUNTING;
        next = 0;
        publish();
    }

    private void exchange(final boolean isUnplanned) {
        final long begin = System.nanoTime();
        values[TIME] = isPending ? pending : 0;
        values[UNPLANNED] = isUnplanned ? 1 : 0;
        values[EXCHANGE] = -exchangeNanos;
        tuning.combine(values, number);
        exchangeNanos = System.nanoTime() - begin;
        regret -= values[EXCHANGE];
    }

    /** Returns whether this rank can plan a call by an algorithm; then the plan is kept. */
    private boolean isPlannable(final TunedAlgorithm<C> by, final C call) {
        if (by.chosen() == null) {
            return false;
        }
        try {
            cache.schedule(operation, call, by);
            return true;
        } catch (final MpiFailure e) {
            LOG.debug("{} of {} by {} is not tried", operation, tuning.communicator(), by, e);
            return false;
        }
    }

    /** Begins a trial of all algorithms, if there is something to choose. */
    private void startTrial(final C call) {
        final List<TunedAlgorithm<C>> usable = new ArrayList<>(contenders(call));
        if (selected == null && !usable.isEmpty()) {
            selected = usable.getFirst();
        }
        final TunedAlgorithm<C> incumbent = kept;
        if (incumbent != null && !usable.contains(incumbent)) {
            usable.add(incumbent);
        }
        usable.removeIf(t -> t.problem() != null);
        contenders = usable;
        trial = new Trial(usable.size(), Math.max(0, usable.indexOf(incumbent)), BUDGET);
        stage = 0;
        recent.clear();
        phase = Phase.TRYING;
        next = 0;
        endStages(call);
    }

    private List<TunedAlgorithm<C>> contenders(final C call) {
        return table.decision(operation).contenders(call).stream().map(c -> known(c.module().id(), c.ref(), c)).toList();
    }

    private TunedAlgorithm<C> known(final ModuleId module, final AlgorithmRef ref, final Selection.@Nullable SelectedAlgorithm<C> chosen) {
        final Optional<TunedAlgorithm<C>> found = known.stream().filter(t -> t.is(module, ref)).findFirst();
        if (found.isPresent()) {
            return found.get();
        }
        final TunedAlgorithm<C> made = new TunedAlgorithm<>(module, ref, chosen);
        known.add(made);
        return made;
    }

    /** Lets the next contender serve a call, after all ranks have told the time of the last one and that they can plan the call. */
    private void tryNext(final C call) {
        final long signature = signature(call);
        final int expected = isPending ? trial.following() : trial.current();
        final TunedAlgorithm<C> early = expected == Trial.NONE ? null : contenders.get(expected);
        exchange(early != null && !isPlannable(early, call));
        if (isPending) {
            isPending = false;
            record(values[TIME]);
        }
        if (early != null) {
            planned(early, signature);
        }
        endStages(call);
        while (phase == Phase.TRYING) {
            final TunedAlgorithm<C> current = contenders.get(trial.current());
            if (current.isPlanned(signature)) {
                if (current != early) {
                    // the time of planning is not that of the call
                    isPlannable(current, call);
                }
                serving = current;
                isMeasured = true;
                return;
            }
            exchange(!isPlannable(current, call));
            planned(current, signature);
            endStages(call);
        }
    }

    private void record(final long nanos) {
        if (nanos == FAILED) {
            contenders.get(trial.current()).refuse("failed in a call");
            trial.fail();
        } else {
            trial.record(nanos);
        }
    }

    /** Notes what all ranks have told about a plan of the current contender. */
    private void planned(final TunedAlgorithm<C> current, final long signature) {
        if (values[UNPLANNED] == 0) {
            current.planned(signature);
        } else {
            current.refuse("cannot be planned on all ranks");
            trial.fail();
        }
    }

    /** Goes on to the trial of other values of parameters, or keeps the winner, where the trial is over. */
    private void endStages(final C call) {
        while (phase == Phase.TRYING && trial.isOver()) {
            for (int i = 0; i < contenders.size(); i++) {
                contenders.get(i).measured(trial.calls(i), trial.samples(i));
            }
            final int winner = trial.winner();
            final TunedAlgorithm<C> best = winner == Trial.NONE ? null : contenders.get(winner);
            if (best != null) {
                regret += trial.lost(best.median());
                compare(winner);
            }
            final List<TunedAlgorithm<C>> variants = best == null ? List.of() : variants(best, call);
            if (variants.size() > 1) {
                contenders = variants;
                trial = new Trial(variants.size(), 0, VARIANTS_BUDGET);
            } else {
                settle(best);
            }
        }
    }

    /** Compares all algorithms with the winner; those of earlier trials by the algorithm with which they were compared then. */
    private void compare(final int winner) {
        final int earlier = contenders.indexOf(reference);
        final double change = earlier < 0 ? 1 : trial.slowdown(earlier, winner);
        for (final TunedAlgorithm<C> t : known) {
            final int i = contenders.indexOf(t);
            if (i < 0) {
                t.setSlowdown(change * t.slowdown());
            } else if (i == winner || trial.slowdown(i, winner) > 0) {
                t.setSlowdown(i == winner ? 1 : trial.slowdown(i, winner));
            }
        }
        reference = contenders.get(winner);
    }

    /**
     * Returns the winner with other values of its next parameter and, where another algorithm is nearly as fast, that one with other values of its
     * own. The parameters are varied one after the other, as {@code tutti tune} does.
     */
    private List<TunedAlgorithm<C>> variants(final TunedAlgorithm<C> best, final C call) {
        final List<TunedAlgorithm<C>> bases = new ArrayList<>(List.of(best));
        contenders.stream().filter(t -> !t.isVariantOf(best) && t.problem() == null && t.median() > 0 && t.median() <= NEAR * best.median())
            .min(Comparator.comparingLong(TunedAlgorithm::median)).ifPresent(bases::add);
        final List<TunedAlgorithm<C>> variants = new ArrayList<>(List.of(best));
        boolean hasMore = true;
        while (hasMore && variants.size() == 1) {
            hasMore = false;
            for (final TunedAlgorithm<C> base : bases) {
                final Selection.SelectedAlgorithm<C> chosen = Objects.requireNonNull(base.chosen(), "algorithm that has served");
                final List<SortedMap<String, String>> sets = table.selection().variants(chosen, stage, MessageBytes.of(operation, call));
                hasMore |= sets != null;
                if (sets != null && !sets.isEmpty()) {
                    if (base != best) {
                        variants.add(base);
                    }
                    sets.stream().map(s -> variant(chosen, s)).filter(t -> t.problem() == null).forEach(variants::add);
                }
            }
            stage++;
        }
        return variants;
    }

    private TunedAlgorithm<C> variant(final Selection.SelectedAlgorithm<C> of, final SortedMap<String, String> parameters) {
        final AlgorithmRef ref = of.ref().with(parameters);
        synchronized (table.planning()) {
            return known(of.module().id(), ref, table.selection().with(operation, of, parameters));
        }
    }

    /** Ends a trial; {@code best} is null when no contender can serve. */
    private void settle(final @Nullable TunedAlgorithm<C> best) {
        trials++;
        for (final TunedAlgorithm<C> t : known) {
            if (t != best) {
                cache.drop(t);
            }
        }
        contenders = List.of();
        if (best == null || best.median() == 0) {
            kept = best == selected ? null : best;
            phase = Phase.UNTUNED;
            next = NEVER;
        } else {
            keep(best);
        }
        if (best == null || best.median() > 0) {
            publish();
        }
    }

    private void keep(final TunedAlgorithm<C> best) {
        kept = best;
        phase = Phase.KEEPING;
        final DriftWatch watching = new DriftWatch(best.median(), best.spread(), trials);
        watch = watching;
        next = calls + watching.interval();
    }

    /** Measures a call of the kept algorithm, or compares the times of the last such calls with those at the decision. */
    private void measureAgain(final C call) {
        final TunedAlgorithm<C> best = Objects.requireNonNull(kept, "algorithm that was kept");
        final long signature = signature(call);
        exchange(!isPlannable(best, call));
        final boolean hasFailed = isPending && values[TIME] == FAILED;
        if (isPending && !hasFailed) {
            recent.add(values[TIME]);
        }
        isPending = false;
        if (hasFailed || values[UNPLANNED] != 0) {
            recent.clear();
            giveUp(best, hasFailed ? "failed in a call" : "cannot be planned on all ranks");
            return;
        }
        best.planned(signature);
        if (recent.count() < DriftWatch.MEASURED) {
            serving = best;
            isMeasured = true;
            return;
        }
        final DriftWatch watching = Objects.requireNonNull(watch, "watch of what was kept");
        final boolean hasDrifted = watching.measured(recent.median());
        recent.clear();
        next = calls + watching.interval();
        if (hasDrifted) {
            startTrial(call);
        } else {
            publish();
        }
    }

    /** Returns what all ranks know of a call, and by which an algorithm may find that it cannot plan it. */
    private long signature(final C call) {
        final long shared = CallSignature.of(operation, call, false);
        return switch (call) {
            case Call.Allgather c -> shared ^ lengths(c.recv());
            case Call.ReduceScatter c -> shared ^ lengths(c.blocks());
            default -> shared;
        };
    }

    /** Returns a hash of the lengths of blocks; 0 where all are equal. */
    private static long lengths(final Blocks blocks) {
        long hash = 0;
        boolean isRegular = true;
        for (int i = 1; !blocks.isUniform() && i < blocks.count(); i++) {
            isRegular &= blocks.bytes(i) == blocks.bytes(0);
            hash = 31 * hash + blocks.bytes(i);
        }
        return isRegular ? 0 : hash;
    }

    /** Begins with what was found out in an earlier epoch, as far as the modules are the same. Where others are there, a trial follows. */
    private void takeOver(final CallTuning earlier, final C call) {
        final List<TunedAlgorithm<C>> now = contenders(call);
        boolean isComplete = !now.isEmpty();
        for (final TunedAlgorithm<C> t : now) {
            final Optional<CallTuning.Measured> measured =
                earlier.algorithms().stream().filter(m -> t.is(m.module(), m.algorithm())).findFirst();
            measured.ifPresent(t::measured);
            isComplete &= measured.isPresent();
        }
        final CallTuning.Measured best = earlier.best();
        final Optional<TunedAlgorithm<C>> base = now.stream().filter(t -> t.module().equals(best.module())
            && t.ref().with(best.algorithm().parameters()).equals(best.algorithm())).findFirst();
        if (base.isEmpty()) {
            return;
        }
        final TunedAlgorithm<C> again = base.get().is(best.module(), best.algorithm()) ? base.get()
            : variant(Objects.requireNonNull(base.get().chosen(), "algorithm of the selection"), best.algorithm().parameters());
        again.measured(best);
        reference = again;
        selected = now.getFirst();
        calls = earlier.calls();
        trials = earlier.trials();
        regret = earlier.regretNanos();
        if (isComplete) {
            keep(again);
        } else {
            kept = again;
            next = calls + OFTEN;
        }
        publish();
    }

    private void publish() {
        if (known.isEmpty()) {
            return;
        }
        tuning.keep(key, new CallTuning(tuning.communicator(), tuning.shape(), operation.id(), key.kind(), key.bytes(),
            known.stream().map(TunedAlgorithm::report).toList(), known.indexOf(kept), known.indexOf(selected), calls, trials, regret));
    }
}
