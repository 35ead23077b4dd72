package tutti.pictures.schedule;

import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.Collectors;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.policy.LongRange;

/**
 * Box of a picture of plans: all tasks of one kind that the ranks of a lane can start in one round.
 *
 * @param lane  number of the lane
 * @param round round
 * @param kind  kind of the tasks
 * @param tasks the tasks
 */
record PlanCell(int lane, int round, Kind kind, List<PlanGraph.Node> tasks) {
    private static final int TIP_LINES = 12;
    private static final int PEERS = 3;

    /** Identity of a cell. */
    record Key(int lane, int round, Kind kind) {}

    /** Copies the list. */
    PlanCell {
        tasks = List.copyOf(tasks);
    }

    Key key() {
        return new Key(lane, round, kind);
    }

    /** Returns the step at which the first of the tasks can start. */
    int firstStep() {
        return tasks.stream().mapToInt(PlanGraph.Node::step).min().orElse(0);
    }

    /** Returns the text of the box; {@code ranks} is the number of ranks of the lane. */
    String label(final int ranks) {
        final Map<Integer, Long> byRank = tasks.stream().collect(Collectors.groupingBy(PlanGraph.Node::rank, Collectors.counting()));
        final LongSummaryStatistics each = byRank.values().stream().mapToLong(n -> n).summaryStatistics();
        final LongSummaryStatistics bytes = tasks.stream().mapToLong(n -> n.task().bytes()).summaryStatistics();
        final String range = new LongRange(bytes.getMin(), bytes.getMax()).toString();
        final String size = bytes.getMax() == 0 ? "" : ", " + range + (Character.isDigit(range.charAt(range.length() - 1)) ? " B" : "");
        final String name = PlanText.label(tasks.getFirst().task());
        if (ranks == 1) {
            return (tasks.size() == Math.max(1, peerRanks().size()) && tasks.size() <= PEERS ? name : tasks.size() + " × " + name) + peers() + size;
        }
        final String count = each.getMin() == each.getMax() ? each.getMax() == 1 ? "" : each.getMax() + " × "
            : each.getMin() + "-" + each.getMax() + " × ";
        return (byRank.size() == ranks ? "" : byRank.size() + (byRank.size() == 1 ? " rank: " : " ranks: ")) + count + name + size;
    }

    private List<Integer> peerRanks() {
        return tasks.stream().map(n -> n.task().peer()).filter(p -> p >= 0).distinct().toList();
    }

    private String peers() {
        final List<Integer> peers = peerRanks();
        if (peers.isEmpty() || peers.size() > PEERS) {
            return "";
        }
        return " " + (kind == Kind.SEND ? "to " : kind == Kind.AWAIT ? "of " : "from ")
            + peers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** Returns what the round does in this lane: equal for boxes that look alike. */
    String content(final boolean withPeers) {
        return lane + " " + kind + " " + tasks.size() + (withPeers ? peers() : "");
    }

    /** Returns a line per task, of the first ones. */
    String tip() {
        return tasks.stream().limit(TIP_LINES).map(n -> {
            final PlannedTask t = n.task();
            return ("rank " + n.rank() + ", task " + t.id() + ": " + PlanText.kind(t) + " " + PlanText.details(n.plan(), t)).strip();
        }).collect(Collectors.joining("\n")) + (tasks.size() > TIP_LINES ? "\nand " + (tasks.size() - TIP_LINES) + " more" : "");
    }
}
