package tutti.runtime.collective;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.Checkpointable;
import tutti.runtime.canary.CallClass;
import tutti.runtime.canary.CallClasses;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.introspect.CanaryReport.Difference;
import tutti.runtime.introspect.CanaryReport.Verdict;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.schedule.ScheduleExecution;
import tutti.runtime.select.CanaryTrial;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.PackedText;

/**
 * A trial of modules on one communicator, at one rank. The modules that serve and the candidate each have a {@link Shadow}: a hidden communicator of
 * all ranks. Some blocking calls of the program run there once more by both, on scratch memory, and are compared.
 *
 * <p>All ranks compare the same calls. Each notes the same figures, which the ranks combine in exchanges, so each finds the same next call and the
 * same verdict:
 *
 * <pre>{@code
 * program's call   number >= next, its class has too few comparisons: keep inputs, run it, then
 * entry            number, end of the trial, time spent, plans       waits for late ranks, but not for ever
 * presence         whether a rank has waited too long and went on    if so, the trial ends on all ranks
 * one, other       meet, run, compare; in turn one or the other is first; short calls again, for their time
 * magnitudes       meet, run                                         where floating-point sums differ
 * cost             time that it took                                 -> next, verdict
 * }</pre>
 *
 * <p>A rank that leaves the trial, since a call of the program failed or the communicator is released, takes part in the next entry without waiting
 * and says so. So ranks that wait there go on.
 *
 * <p><b>Threads.</b> The program makes one blocking collective call at a time on a communicator; that thread owns the state. The verdict is volatile.
 */
final class Canary {
    private static final Logger LOG = LoggerFactory.getLogger(Canary.class);
    /** For how many tenths of a second a rank waits for those that have yet to make the call. */
    private static final long PATIENCE = 100;
    /** How often the first rank tells the job at the most what was found until now. */
    private static final long TELLING_NANOS = 1_000_000_000;
    private static final int TEXT_LONGS = 25;
    /** The values of an entry, of which the ranks combine the maxima. */
    private static final int NUMBER = 0;
    private static final int NEGATIVE_NUMBER = 1;
    private static final int END = 2;
    private static final int SPENT = 3;
    private static final int NEGATIVE_ELAPSED = 4;
    private static final int NO_MEMORY = 5;
    private static final int DIFFERS = 6;
    private static final int SERVING_FAILS = 7;
    private static final int CANDIDATE_FAILS = 8;
    private static final int NOT_COMPLETE = 9;
    private static final int KEY = 10;
    private static final int NEGATIVE_KEY = 11;
    private static final int VALUES = 12;
    /** Turns in which other calls are chosen. */
    private static final int TURNS = 3;
    private static final int NONBLOCKING = 1;
    private static final int PERSISTENT = 2;
    /** Number of meetings after which a call that is not complete is given up. */
    private static final int MOST_MEETINGS = 5;
    private static final long NONE = Long.MAX_VALUE;

    private final CommContext comm;
    private final CanaryTrial trial;
    private final Shadow serving;
    private final Shadow candidate;
    private final CommContext exchanges;
    private final CallClasses classes;
    /** Number of calls from one comparison to the next at least. */
    private final long stride;
    /** Number of the first call of the trial; negative before it. */
    private long first = -1;
    private volatile long begin;
    /** Number of the call from which on the next one is compared. */
    private long next;
    private int steps;
    private long comparisons;
    private final PersistentCalls persistent;
    /** Number of meetings, which give blocking, nonblocking and persistent calls their turns. */
    private int turn;
    /** Whether the ranks keep, or will keep, a call that the next meeting compares. */
    private boolean isKeeping;
    /** The call that this rank keeps; null before it has started it. */
    private volatile @Nullable KeptCall<?> kept;
    /** The start of a persistent call to be kept; null for none. */
    private volatile @Nullable Watch watch;
    /** Number of meetings to which a kept call was not complete. */
    private int waited;
    /** Whether there are nonblocking calls. */
    private boolean hasNonblocking;
    /** Whether there are persistent calls, perhaps freed by now. */
    private volatile boolean hasPersistent;
    /** Number of the persistent call that was watched last. */
    private long lastWatched = -1;
    /** Number of starts of persistent calls that are counted, by number. */
    private final Map<Long, Long> counted = new HashMap<>();
    /** Time that this rank has spent, in nanoseconds. As the number of comparisons, it is written while no report is taken. */
    private long spent;
    private volatile @Nullable Decided decided;
    /** Whether no other rank waits for an entry of this one. */
    private boolean isEndKnown;
    private boolean isReported;
    private boolean isFreed;
    /** When the first rank told the job last. */
    private long told;

    /** What this rank tells in an entry of a call that it has planned. */
    record Entry(boolean hasMemory, boolean differs, boolean servingFails, boolean candidateFails) {}

    /**
     * A blocking call in which all ranks meet.
     *
     * @param number  number of that call
     * @param begin   when it began, in nanoseconds
     * @param call    the call that is compared; null when it is a kept one or none
     * @param <C>     the type of the operation's calls
     */
    record Meeting<C extends Call>(long number, long begin, @Nullable ComparedCall<C> call) {}

    /** A start of a persistent call, by their numbers. */
    private record Watch(long number, long start) {}

    /** The end of the trial. */
    private record Decided(Verdict verdict, String reason, @Nullable Difference difference, long at) {}

    private Canary(final CommContext comm, final CanaryTrial trial, final long[] contexts, final PersistentCalls persistent) {
        this.comm = comm;
        this.persistent = persistent;
        this.trial = trial;
        this.exchanges = comm.shadow(contexts[0]);
        this.serving = new Shadow(exchanges);
        this.candidate = new Shadow(comm.shadow(contexts[1]));
        this.told = System.nanoTime();
        this.stride = Math.max(1, (long) Math.ceil(1 / trial.share()));
        this.classes = new CallClasses(trial.calls(), trial.calls() * stride);
    }

    /**
     * Begins a trial, together with all ranks, in the exchanges that change the modules, and tells the job. A failure of the candidate ends the
     * trial, not the change.
     *
     * @return null when there are no context ids for it
     */
    static @Nullable Canary begin(final CommContext comm, final JobModules modules, final CanaryTrial trial,
        final PersistentCalls persistent) {
        final long[] contexts = {Long.MIN_VALUE, Long.MIN_VALUE};
        if (comm.rank() == 0) {
            comm.owner().job().canary(CanaryReport.of(comm.name(), comm.size(), modules.change(), Verdict.RUNNING, ""));
            contexts[0] = comm.owner().contexts().allot();
            contexts[1] = comm.owner().contexts().allot();
        }
        comm.liveExchanges().combine(contexts, Op.MAX);
        if (contexts[0] == ContextIds.NONE || contexts[1] == ContextIds.NONE) {
            comm.owner().contexts().free(contexts[0]);
            if (comm.rank() == 0) {
                comm.owner().job().canary(CanaryReport.of(comm.name(), comm.size(), modules.change(), Verdict.ABANDONED,
                    "too many communicators for a shadow"));
            }
            return null;
        }
        final Canary canary = new Canary(comm, trial, contexts, persistent);
        boolean isOpen = false;
        try {
            canary.open(modules);
            isOpen = true;
        } finally {
            if (!isOpen) {
                // the rank is being ended
                canary.release();
            }
        }
        return canary;
    }

    private void open(final JobModules modules) {
        String problem = null;
        String unused = null;
        try {
            serving.open(modules);
            candidate.open(trial.candidate());
            final Set<ModuleId> changed = new HashSet<>(trial.candidate().ids());
            modules.ids().forEach(changed::remove);
            problem = candidate.engine().table().selection().setupFailure(changed);
            unused = candidate.engine().table().selection().unused(changed);
        } catch (final RuntimeException | LinkageError e) {
            problem = "modules cannot be selected: " + Shadow.text(e);
        }
        final long[] fails = {problem == null ? 0 : code()};
        comm.liveExchanges().combine(fails, Op.MAX);
        if (fails[0] != 0) {
            final long[] text = packed(fails[0], problem);
            comm.liveExchanges().combine(text, Op.BOR);
            isEndKnown = true;
            end(Verdict.WRONG, PackedText.read(text, 0, TEXT_LONGS), null);
        } else if (unused != null) {
            isEndKnown = true;
            end(Verdict.ABANDONED, "it serves no calls here: " + unused, null);
        }
    }

    int rank() {
        return comm.rank();
    }

    /** Returns a number that stands for this rank, the higher the lower the rank; never 0. */
    long code() {
        return (long) comm.size() - comm.rank();
    }

    private long[] packed(final long of, final @Nullable String text) {
        final long[] packed = new long[TEXT_LONGS];
        if (of == code()) {
            PackedText.write(String.valueOf(text), packed, 0, TEXT_LONGS);
        }
        return packed;
    }

    /** Returns the text of the rank that a code stands for, on all ranks. */
    String text(final long of, final @Nullable String own) {
        final long[] packed = packed(of, own);
        start(packed, Op.BOR).await();
        return PackedText.read(packed, 0, TEXT_LONGS);
    }

    private ScheduleExecution start(final long[] values, final Op op) {
        return exchanges.bootstrap(ContextIds.LIVE).allreduce(values, op, steps++, null);
    }

    /** Replaces values by their maxima on all ranks. All ranks are in the comparison. */
    void exchange(final long[] values) {
        start(values, Op.MAX).await();
    }

    /** Waits for all ranks. Returns the code of the lowest rank that has a problem; 0 if none has. */
    long meet(final boolean hasProblem) {
        final long[] values = {hasProblem ? code() : 0};
        exchange(values);
        return values[0];
    }

    /** Notes something about the classes of calls. */
    void note(final Runnable change) {
        classes.note(change);
    }

    private void begin(final long number) {
        if (first < 0) {
            first = number;
            next = number + stride - 1;
            begin = System.nanoTime();
        }
    }

    /**
     * Counts a blocking call of the program that is about to run.
     *
     * @return what is kept of the call; null when the ranks do not meet in it
     */
    <C extends Call> @Nullable Meeting<C> choose(final Operation<C> operation, final C call, final @Nullable MemorySegment send,
        final @Nullable MemorySegment recv, final long number) {
        if (decided != null) {
            return null;
        }
        begin(number);
        final CallClass in = classes.of(operation, call);
        in.count();
        if (number < next) {
            return null;
        }
        if (isKeeping || hasPersistent && turn % TURNS == PERSISTENT) {
            return new Meeting<>(number, System.nanoTime(), null);
        }
        if (hasNonblocking && turn % TURNS == NONBLOCKING && number < next + stride) {
            return null;
        }
        if (classes.isComplete(in)) {
            // the classes that are used more often than others may be others by now
            if (number >= next + stride) {
                next = number;
                turn++;
                decide();
                if (decided != null) {
                    free();
                }
            }
            return null;
        }
        return new Meeting<>(number, System.nanoTime(), ComparedCall.of(operation, call, number, in, comm.rank(), comm.size(), send, recv));
    }

    /**
     * Counts a nonblocking call that is about to start.
     *
     * @return what keeps the call; null when it is not compared
     */
    <C extends Call> @Nullable KeptCall<C> keep(final Operation<C> operation, final C call, final @Nullable MemorySegment send,
        final @Nullable MemorySegment recv, final long number) {
        if (decided != null) {
            return null;
        }
        begin(number);
        final CallClass in = classes.of(operation, call);
        in.count();
        hasNonblocking = true;
        if (number < next || isKeeping || turn % TURNS != NONBLOCKING || classes.isComplete(in)) {
            return null;
        }
        isKeeping = true;
        return keepNow(operation, call, send, recv, number, number);
    }

    private <C extends Call> KeptCall<C> keepNow(final Operation<C> operation, final C call, final @Nullable MemorySegment send,
        final @Nullable MemorySegment recv, final long number, final long key) {
        final KeptCall<C> now = KeptCall.of(key, operation, call, number, classes.of(operation, call), comm.rank(), comm.size(), send, recv);
        kept = now;
        return now;
    }

    /** Notes that there are persistent calls. */
    void expectPersistent() {
        hasPersistent = true;
    }

    /** Returns whether a start of a persistent call is to be kept. For any thread. */
    boolean isWatched(final long number, final long start) {
        final Watch wanted = watch;
        return wanted != null && wanted.number == number && wanted.start == start && decided == null;
    }

    /** Keeps a start of a persistent call that {@link #isWatched}. */
    <C extends Call> KeptCall<C> keepStart(final Operation<C> operation, final C call, final @Nullable MemorySegment send,
        final @Nullable MemorySegment recv, final long number, final long start) {
        return keepNow(operation, call, send, recv, number, number ^ start + 1 << Integer.SIZE);
    }

    /** Compares a call when all ranks meet. Nothing that fails here reaches the program. */
    void compare(final Meeting<?> meeting) {
        final long since = System.nanoTime();
        final KeptCall<?> ready = isKeeping ? kept : null;
        if (ready != null && ready.isFailed()) {
            abandon("a call of the program failed");
            return;
        }
        final ComparedCall<?> own = meeting.call();
        final ComparedCall<?> call = own != null ? own.took(since - meeting.begin()) : ready != null && ready.isComplete() ? ready.compared() : null;
        final CanaryComparison<?> comparison = call == null ? null : new CanaryComparison<>(this, call, serving, candidate);
        try {
            final long[] values = enter(meeting.number(), comparison == null ? null : comparison.plan(), ready == null ? 0 : ready.key());
            if (values != null) {
                final long[] cost = {0};
                if (!isOverBudget(values)) {
                    meet(values, call, comparison);
                    cost[0] = System.nanoTime() - since;
                    exchange(cost);
                }
                schedule(meeting.number(), values[SPENT] + cost[0], cost[0] - values[NEGATIVE_ELAPSED]);
                decide();
                tell(since);
            }
        } catch (final RuntimeException e) {
            // the next exchange of the other ranks fails, since this one sends something else
            // Cause: the runtime threw an exception while it compared modules; the program goes on. Remedy: report it.
            LOG.warn("trial of modules on {} ends: {}", comm, e.toString(), e);
            abandon("internal error: " + Shadow.text(e));
        } finally {
            if (comparison != null) {
                comparison.end();
            }
            note(() -> spent += System.nanoTime() - since);
            if (decided != null && isEndKnown) {
                free();
            }
        }
    }

    private void meet(final long[] values, final @Nullable ComparedCall<?> call, final @Nullable CanaryComparison<?> comparison) {
        if (call != null && comparison != null && values[NOT_COMPLETE] == 0 && values[KEY] == -values[NEGATIVE_KEY]) {
            compare(call, comparison, values);
            keepNone();
        } else if (isKeeping) {
            waited++;
            if (waited >= MOST_MEETINGS) {
                keepNone();
            }
        } else {
            watchNext();
        }
    }

    private void keepNone() {
        isKeeping = false;
        kept = null;
        watch = null;
        waited = 0;
        turn++;
    }

    /** Agrees on the next persistent call, and on a start that no rank has begun. One that some rank has freed is left out. */
    private void watchNext() {
        final PersistentCollective own = persistent.after(lastWatched, this::isWanted);
        final long[] number = {own == null ? -NONE : -own.number()};
        exchange(number);
        turn++;
        if (number[0] == -NONE) {
            hasPersistent &= lastWatched >= 0;
            lastWatched = -1;
            return;
        }
        lastWatched = -number[0];
        final PersistentCollective next = persistent.of(lastWatched);
        final long[] start = {next == null ? NONE : next.starts()};
        exchange(start);
        final PersistentCollective.PreparedCall<?> call = next == null ? null : next.call();
        if (start[0] != NONE && call != null) {
            final CallClass in = classOf(call);
            final long before = counted.getOrDefault(lastWatched, 0L);
            counted.put(lastWatched, start[0]);
            in.count(start[0] - before);
            watch = new Watch(lastWatched, start[0]);
            isKeeping = true;
        }
    }

    private <C extends Call> CallClass classOf(final PersistentCollective.PreparedCall<C> prepared) {
        return classes.of(prepared.operation(), prepared.call());
    }

    private boolean isWanted(final PersistentCollective of) {
        final PersistentCollective.PreparedCall<?> call = of.call();
        return call != null && !classes.isComplete(classOf(call));
    }

    private void compare(final ComparedCall<?> call, final CanaryComparison<?> comparison, final long[] values) {
        final CallClass in = call.in();
        if (values[NO_MEMORY] != 0) {
            note(() -> in.exclude("calls are too large to be compared"));
        } else if (values[DIFFERS] == 0) {
            note(in::addSame);
        } else if (values[SERVING_FAILS] != 0) {
            note(() -> in.exclude("the algorithm that serves cannot plan a call"));
        } else if (values[CANDIDATE_FAILS] != 0) {
            note(in::addFailure);
            wrong(call, values[CANDIDATE_FAILS], comparison.planProblem());
        } else {
            note(() -> comparisons++);
            comparison.run(in.compared() % 2 == 1);
        }
    }

    /** Returns the values of all ranks when they have begun a comparison; null when the trial has ended. */
    private long @Nullable [] enter(final long number, final @Nullable Entry entry, final long key) {
        final long[] values = entry(number);
        values[KEY] = key;
        values[NEGATIVE_KEY] = -key;
        if (entry == null) {
            values[NOT_COMPLETE] = 1;
        } else {
            values[NO_MEMORY] = entry.hasMemory() ? 0 : 1;
            values[DIFFERS] = entry.differs() ? 1 : 0;
            values[SERVING_FAILS] = entry.servingFails() ? code() : 0;
            values[CANDIDATE_FAILS] = entry.candidateFails() ? code() : 0;
        }
        final ScheduleExecution all = start(values, Op.MAX);
        isEndKnown = true;
        if (!Shadow.await(all, PATIENCE)) {
            end(Verdict.ABANDONED, "a rank made a call more than " + PATIENCE / 10 + " s later than another one", null);
            all.whenDone(() -> {
                if (values[END] == 0) {
                    start(new long[] {1}, Op.MAX);
                }
            });
            return null;
        }
        all.await();
        if (values[END] != 0) {
            end(Verdict.ABANDONED, "another rank has ended the trial", null);
            return null;
        }
        final long[] gone = {0};
        exchange(gone);
        if (gone[0] != 0) {
            end(Verdict.ABANDONED, "a rank made a call more than " + PATIENCE / 10 + " s later than another one", null);
            return null;
        }
        if (values[NUMBER] != -values[NEGATIVE_NUMBER]) {
            end(Verdict.ABANDONED, "ranks are in different calls", null);
            return null;
        }
        isEndKnown = false;
        return values;
    }

    private long[] entry(final long number) {
        final long[] values = new long[VALUES];
        values[NUMBER] = number;
        values[NEGATIVE_NUMBER] = -number;
        values[SPENT] = spent;
        values[NEGATIVE_ELAPSED] = begin - System.nanoTime();
        return values;
    }

    private boolean isOverBudget(final long[] values) {
        return values[SPENT] > trial.budget() * -values[NEGATIVE_ELAPSED];
    }

    /** Sets the next call, as early as the share of the calls allows and the budget, at the rate of calls until now. */
    private void schedule(final long number, final long spentByNow, final long elapsed) {
        final double cost = (double) spentByNow / Math.max(1, comparisons);
        final double needed = (spentByNow + cost) / trial.budget() - elapsed;
        final double rate = (double) (number - first + 1) / Math.max(1, elapsed);
        next = number + Math.max(stride, (long) Math.ceil(Math.max(0, needed) * rate));
    }

    private void decide() {
        final CallClasses.Decided verdict = classes.verdict();
        if (decided == null && verdict.verdict() != Verdict.RUNNING) {
            isEndKnown = true;
            end(verdict.verdict(), verdict.reason(), null);
        }
    }

    /** Ends the trial since the candidate is wrong, on all ranks; {@code own} is what this rank says if it is the one that a code stands for. */
    void wrong(final ComparedCall<?> call, final long of, final @Nullable String own) {
        final String what = text(of, own);
        isEndKnown = true;
        final Difference difference = new Difference(call.operation().id(), MessageBytes.of(call.operation(), call.call()), call.number(),
            (int) (comm.size() - of), what);
        end(Verdict.WRONG, difference.toString(), difference);
    }

    /** Ends the trial on this rank, and on the others when they come to the next comparison. Does not wait. */
    void abandon(final String reason) {
        if (decided == null) {
            end(Verdict.ABANDONED, reason, null);
        }
        announceEnd();
    }

    private synchronized void announceEnd() {
        if (!isEndKnown) {
            isEndKnown = true;
            final long[] values = entry(0);
            values[END] = 1;
            start(values, Op.MAX);
        }
    }

    private void end(final Verdict verdict, final String reason, final @Nullable Difference difference) {
        decided = new Decided(verdict, reason, difference, System.nanoTime());
        report(verdict);
    }

    private void tell(final long now) {
        if (comm.rank() == 0 && decided == null && comparisons > 0 && now - told > TELLING_NANOS) {
            told = now;
            comm.owner().job().canary(report());
        }
    }

    private void report(final Verdict verdict) {
        synchronized (this) {
            if (isReported || comm.rank() != 0) {
                return;
            }
            isReported = true;
        }
        LOG.info("trial of modules on {}: {}", comm, verdict);
        comm.owner().job().canary(report());
    }

    /** Returns what the trial has found until now. */
    CanaryReport report() {
        final Decided end = decided;
        final long since = begin;
        final List<CanaryReport.CanaryClass> found = new ArrayList<>(classes.report());
        return new CanaryReport(comm.name(), comm.size(), trial.candidate().change(), end == null ? Verdict.RUNNING : end.verdict(),
            end == null ? "" : end.reason(), found, end == null ? null : end.difference(), comparisons, spent,
            since == 0 ? 0 : (end == null ? System.nanoTime() : end.at()) - since);
    }

    /** Carries out a step of a checkpoint in the modules of the shadows. */
    void checkpoint(final Consumer<Checkpointable> step) {
        if (decided == null) {
            serving.engine().checkpoint(step);
            candidate.engine().checkpoint(step);
        }
    }

    /** Releases the modules of the shadows. Idempotent. */
    void release() {
        if (decided == null) {
            end(Verdict.ABANDONED, "the communicator was released, or its modules changed", null);
        }
        serving.engine().release();
        candidate.engine().release();
    }

    /** Starts to free the hidden communicators. Idempotent; does not wait. */
    void free() {
        synchronized (this) {
            if (isFreed) {
                return;
            }
            isFreed = true;
        }
        announceEnd();
        for (final Shadow shadow : List.of(serving, candidate)) {
            DeferredCommFree.start(shadow.engine(), () -> {
                // the outer communicator is the one that the rank remembers
            });
        }
    }
}
