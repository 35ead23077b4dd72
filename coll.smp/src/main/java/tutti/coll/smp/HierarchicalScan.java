package tutti.coll.smp;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.Dependencies;
import tutti.coll.patterns.Segments;

/**
 * Scan and exscan over nodes: each node runs the operation and reduces to its leader, the leaders run an exscan of their nodes' reductions, and all
 * ranks combine its result with that of their node, segment by segment.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one contribution per node is sent over the network. Its result is combined where it is needed, directly from the leader's memory. The
 * first node needs no other node's contribution, and the last node's contribution is not needed. While the leaders work on a segment, their nodes
 * work on the next one. Each phase is a collective on a sub-communicator and runs the algorithm selected there.
 * <pre>
 *   5 ranks, nodes (0 1 2) (3 4), scan     0, (0 1), (0 1 2);  3, (3 4);  (0 1 2) at 0;  0 → 3 (0 1 2);  3 ⇒ 4;  (0 1 2 3), (0 1 2 3 4)
 * </pre>
 * <p>Cost for k nodes of q ranks, n bytes in s segments: the leaders' exscan of s segments among k ranks; before it the reduction of the first
 * segment within a node, or the node's scan where that takes longer; after it n/s γ on q ranks at the same time.
 * <p>Needs: two nodes or more, the ranks of each node consecutive; keeps the order of ranks.
 * <p>Memory: on leaders n bytes, and n more on nodes of two ranks or more, except the last node.
 */
final class HierarchicalScan implements Algorithm<Call.Scan> {
    private final HierarchyLevels levels;
    private final Operation<Call.Scan> operation;
    private final long segment;

    /** @param operation scan or exscan */
    HierarchicalScan(final HierarchyLevels levels, final Operation<Call.Scan> operation, final long segment) {
        this.levels = levels;
        this.operation = operation;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Scan call, final Plan plan) {
        if (call.bytes() > 0) {
            new RankPlanner(call, plan).plan();
        }
    }

    /** Plans one rank's part of one call. */
    private final class RankPlanner {
        private final Call.Scan call;
        private final Plan plan;
        private final List<Integer> members;
        private final boolean leads;
        private final boolean isFirst;
        private final boolean isTotalNeeded;
        private final Segments segments;
        private final BufferRange before;
        private final @Nullable BufferRange total;

        RankPlanner(final Call.Scan call, final Plan plan) {
            final NodeGroups nodes = levels.nodes();
            final int node = nodes.nodeOf().get(plan.rank());
            this.call = call;
            this.plan = plan;
            this.members = nodes.nodeMembers(plan.rank());
            this.leads = nodes.leads(plan.rank());
            this.isFirst = node == 0;
            this.isTotalNeeded = members.size() > 1 && node < nodes.count() - 1;
            this.segments = Segments.of(segment, call.bytes(), call.reduction().elementBytes(), HierarchicalTable.MAX_SEGMENTS);
            this.before = leads ? plan.scratch(call.bytes()) : Buffer.SCRATCH.at(0, call.bytes());
            this.total = leads && isTotalNeeded ? plan.scratch(call.bytes()) : null;
        }

        void plan() {
            final Dependencies read = new Dependencies();
            for (int i = 0; i < segments.count(call.bytes()); i++) {
                final int[] reduced = isTotalNeeded ? Dependencies.of(reduced(i)) : Dependencies.NONE;
                final int[] own = own(i, reduced);
                if (leads) {
                    lead(i, amongLeaders(i, isTotalNeeded ? reduced : call.inPlace() ? own : Dependencies.NONE), own);
                } else if (!isFirst) {
                    read.add(plan.reduce(reduction(), members.getFirst(), segments.of(before, i), out(i),
                        new Dependencies().add(own).add(plan.await(members.getFirst(), i)).all()));
                }
            }
            if (!leads && !isFirst) {
                plan.post(read.all());
            }
            for (int i = 1; leads && !isFirst && i < members.size(); i++) {
                plan.await(members.get(i), 0);
            }
        }

        private Reduction reduction() {
            return call.reduction();
        }

        private BufferRange in(final int i) {
            return segments.of(call.input(), i);
        }

        private BufferRange out(final int i) {
            return segments.of(Buffer.RECV.at(0, call.bytes()), i);
        }

        private long count(final int i) {
            return segments.bytes(call.bytes(), i) / reduction().elementBytes();
        }

        /** Plans the reduction over the node to its leader. */
        private int reduced(final int i) {
            return plan.nested(levels.node(), Operation.REDUCE, new Call.Reduce(reduction(), count(i), 0, false), in(i),
                total == null ? null : segments.of(total, i));
        }

        /** Plans the operation within the node. An exscan leaves the leader's result undefined. */
        private int[] own(final int i, final int... reduced) {
            if (members.size() > 1) {
                return Dependencies.of(plan.nested(levels.node(), operation, new Call.Scan(reduction(), count(i), call.inPlace()),
                    call.inPlace() ? null : in(i), out(i), call.inPlace() ? reduced : Dependencies.NONE));
            }
            return call.inPlace() || operation == Operation.EXSCAN ? Dependencies.NONE : Dependencies.of(plan.copy(in(i), out(i)));
        }

        /** Plans the exscan over nodes, whose result is at the leader. The last node contributes its own data, since it must contribute something. */
        private int amongLeaders(final int i, final int... after) {
            return plan.nested(levels.leaders(), Operation.EXSCAN, new Call.Scan(reduction(), count(i), false),
                total == null ? in(i) : segments.of(total, i), segments.of(before, i), after);
        }

        private void lead(final int i, final int available, final int... own) {
            if (isFirst) {
                return;
            }
            if (members.size() > 1) {
                plan.post(available);
            }
            final int[] after = new Dependencies().add(own).add(available).all();
            if (operation == Operation.EXSCAN) {
                plan.copy(segments.of(before, i), out(i), after);
            } else {
                plan.reduce(reduction(), segments.of(before, i), out(i), after);
            }
        }
    }
}
