package tutti.daemon.job;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tutti.runtime.inspect.RankState;

/**
 * Watches a job for ranks that wait for each other. It asks now and then whether some rank has been waiting in MPI for long, which costs the ranks
 * nothing, then what all ranks do, and a second later again: a deadlock that is found twice, unchanged, is one. For the coordinator's thread.
 */
final class StallWatch {
    /** Time between two looks at a deadlock: longer than any message is on its way. */
    private static final long AGAIN_MILLIS = 1000;

    private final long stallMillis;
    private final JobParts parts;
    private JobParts.@Nullable Inspection answer;
    private boolean isFull;
    private @Nullable StallAnalysis suspected;
    /** Whether waits for another job were told of, and other ones. */
    private final Set<Boolean> told = new HashSet<>();
    private long nextAt;

    /** What a look has found. */
    sealed interface Finding {
        /** Nothing to tell. */
        record Nothing() implements Finding {}

        /** All ranks wait, some of them perhaps for another job, and it is not known whether they can go on; once for each of the two. */
        record Stall(StallAnalysis analysis) implements Finding {}

        /** Ranks can never go on. */
        record Deadlock(StallAnalysis analysis) implements Finding {}
    }

    /**
     * Creates the watch of a job.
     *
     * @param stallMillis time without progress after which to look; 0 for never
     * @param parts       the parts of the job
     */
    StallWatch(final long stallMillis, final JobParts parts) {
        this.stallMillis = stallMillis;
        this.parts = parts;
        this.nextAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(stallMillis);
    }

    /** Returns the time of the next {@link #look}, by {@link System#nanoTime}; {@link Long#MAX_VALUE} for never. */
    long nextAt() {
        return stallMillis == 0 ? Long.MAX_VALUE : nextAt;
    }

    /** Goes one step on: asks, or takes an answer. */
    Finding look() {
        final JobParts.Inspection asked = answer;
        if (asked == null) {
            return ask(false);
        }
        answer = null;
        if (!asked.isComplete()) {
            // a node that does not answer for so long hangs: membership will tell
            return restart();
        }
        final List<RankState> states = asked.states();
        if (states.isEmpty()) {
            return restart();
        }
        if (!isFull) {
            return ask(true);
        }
        final StallAnalysis now = parts.analysis(states);
        if (now.stuck().isEmpty()) {
            restart();
            return now.doAllWait() && now.doesAnyWait() && told.add(now.waitsForOtherJob()) ? new Finding.Stall(now) : new Finding.Nothing();
        }
        if (suspected != null && now.isAs(suspected)) {
            return new Finding.Deadlock(now);
        }
        suspected = now;
        return ask(true);
    }

    private Finding ask(final boolean full) {
        isFull = full;
        answer = parts.inspect(full ? 0 : stallMillis);
        nextAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(AGAIN_MILLIS);
        return new Finding.Nothing();
    }

    private Finding restart() {
        suspected = null;
        nextAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(AGAIN_MILLIS, stallMillis / 2));
        return new Finding.Nothing();
    }
}
