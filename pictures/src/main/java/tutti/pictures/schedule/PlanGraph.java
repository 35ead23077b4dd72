package tutti.pictures.schedule;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankPlan;

/** Graph of the tasks of all ranks of a call: their dependencies, the messages and posts between ranks, the step and the round of each task. */
final class PlanGraph {
    private final List<RankPlan> plans;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Arrow> arrows = new ArrayList<>();

    /**
     * Task of a rank, the step at which it can start: the length of the longest path to it from a task without dependencies, and its round: the
     * largest number of messages and posts on a path to it.
     */
    static final class Node {
        private final RankPlan plan;
        private final PlannedTask task;
        private final List<Node> next = new ArrayList<>();
        private final List<Node> receivers = new ArrayList<>();
        private int pendingDependencies;
        private int step;
        private int round;

        private Node(final RankPlan plan, final PlannedTask task) {
            this.plan = plan;
            this.task = task;
        }

        RankPlan plan() {
            return plan;
        }

        int rank() {
            return plan.rank();
        }

        PlannedTask task() {
            return task;
        }

        /** Returns the step, from 0. */
        int step() {
            return Math.max(0, step);
        }

        /** Returns the round, from 0. */
        int round() {
            return round;
        }

        private boolean takesNoTime() {
            return task.kind() == PlannedTask.Kind.FENCE;
        }

        private void before(final Node other) {
            next.add(other);
            other.pendingDependencies++;
        }

        private void sendsTo(final Node other) {
            receivers.add(other);
            other.pendingDependencies++;
        }
    }

    /** Message from its send to its receive, or a post to a task that awaits it. */
    record Arrow(Node from, Node to) {}

    /** Identity of a message or a post, the same on both sides. */
    private record Key(boolean post, int context, int part, int from, int to, int number) {}

    PlanGraph(final List<RankPlan> plans) {
        this.plans = plans;
        final Map<Key, Node> origins = new HashMap<>();
        for (final RankPlan p : plans) {
            final int base = nodes.size();
            for (final PlannedTask t : p.tasks()) {
                final Node node = new Node(p, t);
                nodes.add(node);
                t.after().forEach(a -> nodes.get(base + a).before(node));
                switch (t.kind()) {
                    case SEND -> origins.put(new Key(false, t.context(), 0, p.rank(), t.peer(), t.number()), node);
                    case POST -> origins.put(new Key(true, t.context(), t.part(), p.rank(), -1, t.number()), node);
                    default -> {
                        // only sends and posts are origins of arrows
                    }
                }
            }
        }
        for (final Node n : nodes) {
            final PlannedTask t = n.task;
            final Node origin = switch (t.kind()) {
                case RECV -> origins.get(new Key(false, t.context(), 0, t.peer(), n.rank(), t.number()));
                case AWAIT -> origins.get(new Key(true, t.context(), t.part(), t.peer(), -1, t.number()));
                default -> null;
            };
            if (origin != null) {
                origin.sendsTo(n);
                arrows.add(new Arrow(origin, n));
            }
        }
        order();
    }

    /** Assigns the steps and rounds. Tasks on a cycle, which can never run, keep those at which they are reached. */
    private void order() {
        final Deque<Node> ready = new ArrayDeque<>();
        for (final Node n : nodes) {
            n.step = n.takesNoTime() ? -1 : 0;
            if (n.pendingDependencies == 0) {
                ready.add(n);
            }
        }
        while (!ready.isEmpty()) {
            final Node n = ready.poll();
            n.next.forEach(next -> reach(next, n.step, n.round, ready));
            n.receivers.forEach(next -> reach(next, n.step, n.round + 1, ready));
        }
    }

    private static void reach(final Node next, final int step, final int round, final Deque<Node> ready) {
        next.step = Math.max(next.step, next.takesNoTime() ? step : step + 1);
        next.round = Math.max(next.round, round);
        if (--next.pendingDependencies == 0) {
            ready.add(next);
        }
    }

    List<RankPlan> plans() {
        return plans;
    }

    List<Node> nodes() {
        return nodes;
    }

    List<Arrow> arrows() {
        return arrows;
    }

    /** Returns the number of steps. */
    int steps() {
        return nodes.stream().mapToInt(Node::step).max().orElse(-1) + 1;
    }
}
