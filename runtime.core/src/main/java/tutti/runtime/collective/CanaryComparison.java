package tutti.runtime.collective;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.runtime.canary.ResultComparison;
import tutti.runtime.canary.ResultComparison.Compared;
import tutti.runtime.canary.ResultComparison.Outcome;
import tutti.runtime.schedule.ScheduleExecution;

/**
 * The comparison of one call on one rank: runs it by the modules that serve and by the candidate, on scratch memory. All ranks do the same steps.
 * What fails on this rank is told to the others in the next exchange, so nobody waits for a rank that has failed.
 *
 * @param <C> the type of the operation's calls
 */
final class CanaryComparison<C extends Call> {
    /** For how many tenths of a second ranks wait for a run at least. */
    private static final long LEAST_SLICES = 20;
    /** How many times as long as the program's call ranks wait for a run. */
    private static final long MOST_TIMES = 20;
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** Most times that both run the call again, since a run may be interrupted. */
    private static final int MOST_REPEATS = 4;
    /** Most time of these runs. */
    private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Canary canary;
    private final ComparedCall<C> compared;
    private final long slices;
    private final Side serving;
    private final Side candidate;

    /** One of the two that run the call. */
    private final class Side {
        private final Shadow shadow;
        private final boolean isCandidate;
        private @Nullable ScheduleExecution execution;
        private boolean isStarted;
        /** What is wrong on this rank; null when nothing is. */
        private @Nullable String problem;
        private @Nullable MemorySegment scratch;
        private Compared result = new Compared(Outcome.EQUAL, -1);
        /** Time of the slowest rank in the fastest run, in nanoseconds. */
        private long nanos;
        /** Code of the lowest rank with a problem. */
        private long problemOf;
        /** Code of the lowest rank whose results differ. */
        private long differsOn;
        /** The worst outcome of all ranks. */
        private Outcome worst = Outcome.EQUAL;

        Side(final Shadow shadow, final boolean isCandidate) {
            this.shadow = shadow;
            this.isCandidate = isCandidate;
        }

        /** Plans the call; returns whether there is memory for it. */
        boolean plan() {
            try {
                final ScheduleExecution planned = shadow.take(compared.operation(), compared.call());
                execution = planned;
                problem = Shadow.failure(planned);
                scratch = compared.recv() == null ? null : compared.comparison().newMemory(compared.use().bytes());
                return true;
            } catch (final OutOfMemoryError e) {
                return false;
            } catch (final RuntimeException | LinkageError e) {
                problem = "cannot be planned: " + Shadow.text(e);
                return true;
            }
        }

        /** Runs the call, together with all ranks, and compares its results. */
        void run() {
            final long[] values = new long[4];
            prepare();
            problemOf = canary.meet(problem != null);
            if (problemOf != 0) {
                return;
            }
            isStarted = true;
            try {
                final long begin = System.nanoTime();
                problem = shadow.run(Objects.requireNonNull(execution), compared.send(), scratch, slices);
                values[0] = System.nanoTime() - begin;
                compare();
            } catch (final RuntimeException | LinkageError | OutOfMemoryError e) {
                problem = Shadow.text(e);
            }
            values[1] = problem == null ? 0 : canary.code();
            values[2] = result.outcome().ordinal();
            values[3] = result.outcome() == Outcome.DIFFERENT ? canary.code() : 0;
            canary.exchange(values);
            nanos = values[0];
            problemOf = values[1];
            worst = Outcome.values()[(int) values[2]];
            differsOn = values[3];
        }

        /** Runs the call again, together with all ranks; returns the time. */
        long again() {
            final MemorySegment into = scratch;
            if (into != null) {
                compared.use().copyInputs(Objects.requireNonNull(compared.before()), into);
            }
            final long begin = System.nanoTime();
            try {
                problem = shadow.run(Objects.requireNonNull(execution), compared.send(), scratch, slices);
            } catch (final RuntimeException | LinkageError | OutOfMemoryError e) {
                problem = Shadow.text(e);
            }
            return System.nanoTime() - begin;
        }

        private void prepare() {
            final MemorySegment into = scratch;
            if (into != null) {
                compared.use().prepare(into, Objects.requireNonNull(compared.recv()), Objects.requireNonNull(compared.before()));
            }
        }

        private void compare() {
            final MemorySegment got = scratch;
            if (problem != null || got == null) {
                return;
            }
            result = compared.comparison().compare(Objects.requireNonNull(compared.recv()), got, compared.use().results());
            final long gap = isCandidate && result.outcome() != Outcome.DIFFERENT ? compared.use().writtenGap(got) : -1;
            if (gap >= 0) {
                problem = "writes between the blocks that it receives, at byte " + gap;
            }
        }

        void end() {
            final ScheduleExecution last = execution;
            if (last != null) {
                shadow.end(last, isStarted);
                execution = null;
            }
        }
    }

    CanaryComparison(final Canary canary, final ComparedCall<C> compared, final Shadow serving, final Shadow candidate) {
        this.canary = canary;
        this.compared = compared;
        this.slices = LEAST_SLICES + MOST_TIMES * Math.min(compared.nanos(), MOST_NANOS) / SLICE_NANOS;
        this.serving = new Side(serving, false);
        this.candidate = new Side(candidate, true);
    }

    /** Plans the call by both. */
    Canary.Entry plan() {
        final boolean hasMemory = compared.before() != null && serving.plan() && candidate.plan();
        final ScheduleExecution one = serving.execution;
        final ScheduleExecution other = candidate.execution;
        final boolean differs = one == null || other == null || candidate.problem != null || serving.problem != null
            || serving.shadow.differs(candidate.shadow, compared.operation(), compared.call(), one, other);
        return new Canary.Entry(hasMemory, differs, serving.problem != null, candidate.problem != null);
    }

    /** Returns why the candidate cannot plan the call on this rank; null when it can. */
    @Nullable
    String planProblem() {
        return candidate.problem;
    }

    /** Runs the call by both and notes what was found. All ranks have planned it. */
    void run(final boolean candidateFirst) {
        final Side first = candidateFirst ? candidate : serving;
        final Side second = candidateFirst ? serving : candidate;
        first.run();
        if (first.problemOf == 0) {
            second.run();
        }
        if (first.problemOf == 0 && second.problemOf == 0) {
            repeat(first, second);
        }
        if (serving.problemOf != 0) {
            canary.note(() -> compared.in().exclude("the algorithm that serves " + canary.text(serving.problemOf, serving.problem)));
        } else if (candidate.problemOf != 0) {
            canary.note(compared.in()::addFailure);
            canary.wrong(compared, candidate.problemOf, candidate.problem);
        } else {
            judge();
        }
    }

    /** Runs the call by both again, in turn one or the other first, and keeps the time of the fastest run of each. */
    private void repeat(final Side first, final Side second) {
        final int repeats = Math.clamp(REPEAT_NANOS / Math.max(1, first.nanos + second.nanos), 0, MOST_REPEATS);
        if (repeats == 0) {
            return;
        }
        final long[] values = new long[2 * repeats + 2];
        for (int i = 0; i < 2 * repeats && canary.meet(first.problem != null || second.problem != null) == 0; i++) {
            values[i] = (isOfSecond(i) ? second : first).again();
        }
        values[2 * repeats] = first.problem == null ? 0 : canary.code();
        values[2 * repeats + 1] = second.problem == null ? 0 : canary.code();
        canary.exchange(values);
        first.problemOf = values[2 * repeats];
        second.problemOf = values[2 * repeats + 1];
        for (int i = 0; i < 2 * repeats && first.problemOf == 0 && second.problemOf == 0; i++) {
            final Side side = isOfSecond(i) ? second : first;
            side.nanos = Math.min(side.nanos, values[i]);
        }
    }

    private static boolean isOfSecond(final int run) {
        return run % 4 == 0 || run % 4 == 3;
    }

    private void judge() {
        Outcome outcome = candidate.worst;
        long differsOn = candidate.differsOn;
        if (outcome == Outcome.ROUNDED) {
            final long[] values = new long[2];
            compareSums(values);
            outcome = Outcome.values()[(int) values[0]];
            differsOn = values[1];
        } else if (outcome == Outcome.DIFFERENT && serving.worst == Outcome.DIFFERENT) {
            // the algorithm that serves does not find the same result again
            outcome = Outcome.UNVERIFIED;
        }
        final Outcome found = outcome;
        canary.note(() -> compared.in().add(found, serving.nanos, candidate.nanos));
        if (outcome == Outcome.DIFFERENT) {
            canary.wrong(compared, differsOn, difference());
        }
    }

    /** Compares sums by the sums of the magnitudes, which the algorithm that serves computes. */
    private void compareSums(final long[] values) {
        Compared sums = new Compared(Outcome.UNVERIFIED, -1);
        MemorySegment send = null;
        boolean isReady = false;
        try {
            send = magnitudes();
            serving.end();
            serving.isStarted = false;
            serving.execution = serving.shadow.take(compared.operation(), compared.call());
            isReady = Shadow.failure(serving.execution) == null;
        } catch (final RuntimeException | LinkageError | OutOfMemoryError e) {
            Shadow.text(e);
        }
        if (canary.meet(!isReady) == 0) {
            serving.isStarted = true;
            if (serving.shadow.run(Objects.requireNonNull(serving.execution), send, serving.scratch, slices) == null) {
                sums = serving.scratch == null ? new Compared(Outcome.EQUAL, -1)
                    : compared.comparison().compareSums(Objects.requireNonNull(compared.recv()), Objects.requireNonNull(candidate.scratch),
                        serving.scratch, compared.use().results());
            }
        }
        candidate.result = sums;
        values[0] = sums.outcome().ordinal();
        values[1] = sums.outcome() == Outcome.DIFFERENT ? canary.code() : 0;
        canary.exchange(values);
    }

    /** Puts the magnitudes of the inputs into scratch memory; returns those of the send memory, null where the call has none. */
    private @Nullable MemorySegment magnitudes() {
        final ResultComparison comparison = compared.comparison();
        final MemorySegment into = serving.scratch;
        if (into != null) {
            into.fill((byte) 0);
            compared.use().copyInputs(Objects.requireNonNull(compared.before()), into);
            comparison.makeMagnitudes(into);
        }
        final MemorySegment own = compared.send();
        if (own == null) {
            return null;
        }
        final long bytes = compared.call().sendBytes(canary.rank());
        final MemorySegment send = comparison.newMemory(bytes);
        MemorySegment.copy(own, 0, send, 0, bytes);
        comparison.makeMagnitudes(send);
        return send;
    }

    /** Returns how the candidate's results differ on this rank; null if they do not. */
    private @Nullable String difference() {
        final Compared result = candidate.result;
        final MemorySegment got = candidate.scratch;
        if (result.outcome() != Outcome.DIFFERENT || got == null) {
            return null;
        }
        final long end = compared.use().bytes();
        return "byte " + result.offset() + ": expected " + compared.comparison().text(Objects.requireNonNull(compared.recv()), result.offset(), end)
            + ", got " + compared.comparison().text(got, result.offset(), end);
    }

    /** Takes back what the comparison has used. */
    void end() {
        serving.end();
        candidate.end();
    }
}
