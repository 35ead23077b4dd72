package tutti.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.monitor.ExplainProgram;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.pictures.schedule.PlanPicture;
import tutti.runtime.introspect.RankPlan;

/**
 * Pictures of schedules, and the decisions behind them: those of {@code tutti explain}. Each is made by jobs of the wanted number of ranks on the
 * nodes of the cluster, one after the other. Thread-safe.
 */
final class PlanPictures {
    /** Most ranks of a plan. */
    static final int MOST_RANKS = 256;
    /** Most bytes of a call. */
    static final long MOST_BYTES = 1L << 40;

    private static final String PLAN = "tutti.mpi.programs.ExplainPlan";
    private static final int MOST_TASKS = 100_000;
    private static final String USER = "page";

    private final ClusterView cluster;
    private final Semaphore turn = new Semaphore(1);

    /**
     * The call to plan.
     *
     * @param operation name of the operation
     * @param bytes     bytes of the call; of operations with blocks, of all blocks
     * @param ranks     number of ranks
     * @param root      root, of operations that have one
     * @param lanes     whether each rank has a lane of its own, however many arrows there are
     */
    record Wanted(String operation, long bytes, int ranks, int root, boolean lanes) {
        /** Checks the values. */
        Wanted {
            Objects.requireNonNull(operation, "operation is missing");
            check("bytes", bytes, 0, MOST_BYTES);
            check("ranks", ranks, 1, MOST_RANKS);
            check("root", root, 0, ranks - 1L);
        }

        private static void check(final String name, final long value, final long min, final long max) {
            if (value < min || value > max) {
                throw new IllegalArgumentException("out of range: " + name + "=" + value + ", range=" + min + ".." + max);
            }
        }
    }

    /**
     * A picture.
     *
     * @param module    module that serves the call, name and version
     * @param algorithm its algorithm
     * @param tasks     number of tasks of all ranks
     * @param decision  why, as {@code tutti explain} prints it
     * @param svg       the picture
     */
    record Picture(String module, String algorithm, long tasks, String decision, String svg) {}

    PlanPictures(final ClusterView cluster) {
        this.cluster = cluster;
    }

    /** Draws the schedule of a call. Blocks. */
    Picture draw(final Wanted wanted) throws InterruptedException, PageRefusal {
        final Operation<?> operation = find(wanted.operation());
        if (operation == null) {
            throw new PageRefusal(HttpStatus.BAD_REQUEST, "no such operation: operation=" + wanted.operation() + "; /api/operations lists them");
        }
        if (!PageResources.OperationRow.isPlanned(operation.id())) {
            throw new PageRefusal(HttpStatus.BAD_REQUEST, "no plan can be shown of " + operation.id()
                + ": it depends on the topology of the communicator");
        }
        if (wanted.root() > 0 && !Call.Rooted.class.isAssignableFrom(operation.callType())) {
            throw new PageRefusal(HttpStatus.BAD_REQUEST, operation.id() + " has no root: root=" + wanted.root());
        }
        if (!turn.tryAcquire()) {
            throw new PageRefusal(HttpStatus.UNAVAILABLE, "another plan is being drawn: try again when it is there");
        }
        try {
            return drawNow(operation.id(), wanted);
        } catch (final IOException e) {
            throw new PageRefusal(HttpStatus.UNPROCESSABLE, Protocol.oneLine(e));
        } finally {
            turn.release();
        }
    }

    private Picture drawNow(final String operation, final Wanted wanted) throws IOException, InterruptedException, PageRefusal {
        final String bytes = Long.toString(wanted.bytes());
        final List<RankPlan> plans = List.of(MessageCodec.read(cluster.output(PLAN,
            List.of(operation, bytes, Integer.toString(wanted.root()), "-1", Integer.toString(MOST_TASKS)), wanted.ranks(), USER), RankPlan[].class));
        final long tasks = plans.stream().mapToLong(RankPlan::total).sum();
        if (tasks > MOST_TASKS) {
            throw new PageRefusal(HttpStatus.UNPROCESSABLE, "plan is too large to be drawn: tasks=" + tasks + ", max=" + MOST_TASKS
                + "; choose fewer ranks");
        }
        final String decision = new String(cluster.output(ExplainProgram.CLASS,
            new ExplainProgram(List.of(operation), wanted.bytes(), 0, null, false).arguments(), wanted.ranks(), USER),
            StandardCharsets.UTF_8);
        final RankPlan first = plans.getFirst();
        return new Picture(first.module(), first.algorithm(), tasks, decision,
            (wanted.lanes() ? PlanPicture.ofRanks(plans) : PlanPicture.of(plans)).svg());
    }

    private static @Nullable Operation<?> find(final String name) {
        return Operation.values().stream().filter(o -> o.id().equals(name)).findFirst().orElse(null);
    }
}
