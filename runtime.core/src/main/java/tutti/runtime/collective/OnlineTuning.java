package tutti.runtime.collective;

import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.model.TuneMode;
import tutti.runtime.policy.LongRange;

/**
 * Tuning on the live calls of one communicator, at one of its ranks: the exchange in which the ranks agree on times, and what was found out, which
 * later epochs begin with. The work is done by the {@linkplain TunedClass classes of calls} of each epoch.
 *
 * <p><b>Threads.</b> The results are in a concurrent map; threads that report read them at any time. They are written and, by the classes of a new
 * epoch, read in calls of the program, so that all ranks read the same.
 */
final class OnlineTuning {
    private final CommContext comm;
    private final CallTuning.Shape shape;
    private final Map<TunedClasses.Key, CallTuning> results = new ConcurrentHashMap<>();

    /** Creates the tuning of a communicator without results. */
    OnlineTuning(final CommContext comm) {
        this.comm = comm;
        final LongSummaryStatistics perNode = IntStream.range(0, comm.size()).mapToObj(r -> comm.owner().job().nodeOf(comm.group().worldRank(r)))
            .collect(Collectors.groupingBy(n -> n, Collectors.counting())).values().stream().mapToLong(n -> n).summaryStatistics();
        this.shape = new CallTuning.Shape(comm.size(), (int) perNode.getCount(), new LongRange(perNode.getMin(), perNode.getMax()));
    }

    /**
     * Returns whether the calls of a communicator are tuned: the job asks for it, several ranks of the job make them, and the program does.
     *
     * @param depth number of communicators that the communicator is nested in
     */
    static boolean isWanted(final CommContext comm, final int depth) {
        return depth == 0 && !comm.isInter() && !comm.spansJobs() && comm.size() > 1
            && TuneMode.of(comm.owner().job().modules().parameters()) == TuneMode.ONLINE;
    }

    /** Takes the maximum of values of all ranks in place, in a call of the program, and waits. The ranks leave it at about the same time. */
    void combine(final long[] values, final long call) {
        comm.bootstrap(ContextIds.TUNING).allreduce(values, Op.MAX, (int) call, null).await();
    }

    /** Returns the name of the communicator. */
    String communicator() {
        return comm.name();
    }

    /** Returns the shape of the communicator. */
    CallTuning.Shape shape() {
        return shape;
    }

    /** Returns what was found out for a class of calls in this epoch or an earlier one; null when nothing was. */
    @Nullable
    CallTuning result(final TunedClasses.Key key) {
        return results.get(key);
    }

    /** Keeps what was found out for a class of calls. */
    void keep(final TunedClasses.Key key, final CallTuning result) {
        results.put(key, result);
    }

    /** Returns all results, by operation, kind and size of calls. */
    List<CallTuning> results() {
        return results.entrySet().stream().sorted(Map.Entry.comparingByKey()).map(Map.Entry::getValue).toList();
    }
}
