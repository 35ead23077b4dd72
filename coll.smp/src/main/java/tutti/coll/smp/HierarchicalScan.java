package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
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
final class HierarchicalScan implements AdvancedAlgorithm<Call.Scan> {
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
    public void plan(final Call.Scan call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final NodeGroups nodes = levels.nodes();
        final Reduction reduction = call.reduction();
        final List<Integer> members = nodes.nodeMembers(plan.rank());
        final int leader = members.getFirst();
        final boolean leads = plan.rank() == leader;
        final int node = nodes.nodeOf().get(plan.rank());
        final boolean isTotalNeeded = members.size() > 1 && node < nodes.count() - 1;
        final BufferRange before = leads ? plan.scratch(call.bytes()) : Buffer.SCRATCH.at(0, call.bytes());
        // the last node contributes its own data, since it must contribute something
        final BufferRange total = leads && isTotalNeeded ? plan.scratch(call.bytes()) : call.input();
        final Segments segments = Segments.of(segment, call.bytes(), reduction.elementBytes(), HierarchicalTable.MAX_SEGMENTS);
        final List<Task> read = new ArrayList<>();
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange in = segments.of(call.input(), i);
            final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            final BufferRange ofOthers = segments.of(before, i);
            final long count = in.bytes() / reduction.elementBytes();
            if (isTotalNeeded) {
                plan.nested(levels.node(), Operation.REDUCE, new Call.Reduce(reduction, count, 0, false), in, leads ? segments.of(total, i) : null);
            }
            if (members.size() > 1) {
                // an exscan leaves the leader's result undefined
                plan.nested(levels.node(), operation, new Call.Scan(reduction, count, call.inPlace()), call.inPlace() ? null : in, out);
            } else if (!call.inPlace() && operation == Operation.SCAN) {
                plan.copy(in, out);
            }
            if (leads) {
                final Task available = plan.nested(levels.leaders(), Operation.EXSCAN, new Call.Scan(reduction, count, false),
                    segments.of(total, i), ofOthers);
                if (node > 0 && members.size() > 1) {
                    plan.post(available);
                }
            }
            if (node > 0 && !leads) {
                read.add(plan.reduce(reduction, leader, ofOthers, out, plan.await(leader, i)));
            } else if (node > 0 && operation == Operation.SCAN) {
                plan.reduce(reduction, ofOthers, out);
            } else if (node > 0) {
                plan.copy(ofOthers, out);
            }
        }
        if (node > 0 && !leads) {
            plan.post(read);
        }
        for (int i = 1; node > 0 && leads && i < members.size(); i++) {
            plan.await(members.get(i), 0);
        }
    }
}
