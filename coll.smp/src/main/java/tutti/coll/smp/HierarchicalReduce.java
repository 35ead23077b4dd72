package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
 * Reduce over nodes: each node reduces to its leader, the leaders reduce to the leader of the root's node, and the root copies the result from there,
 * segment by segment.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one contribution per node is sent over the network. While the leaders reduce a segment, the next one is reduced within their nodes. A root
 * that is not a leader copies the result from its leader's memory. The reductions are collectives on sub-communicators and run the algorithms
 * selected there.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3), root 2     (0 2 4) at 0, (1 3) at 1;  1 → 0 (0 2 4 1 3);  0 ⇒ 2 (read)
 * </pre>
 * <p>Cost for k nodes of q ranks, n bytes in s segments: the leaders' reduction of s segments among k ranks, and before it the reduction of the first
 * segment within a node.
 * <p>Needs: two nodes or more; any placement, any root; keeps the order of ranks where the ranks of each node are consecutive, otherwise the
 * operation must commute.
 * <p>Memory: n bytes on leaders of two ranks or more; n more on the leader of a root that is not a leader.
 */
final class HierarchicalReduce implements AdvancedAlgorithm<Call.Reduce> {
    private final HierarchyLevels levels;
    private final long segment;

    HierarchicalReduce(final HierarchyLevels levels, final long segment) {
        this.levels = levels;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Reduce call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final NodeGroups nodes = levels.nodes();
        final int rank = plan.rank();
        final boolean leads = nodes.leads(rank);
        final boolean isAlone = nodes.nodeMembers(rank).size() == 1;
        final int target = nodes.nodeMembers(call.root()).getFirst();
        final boolean isReadByRoot = rank == target && rank != call.root();
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        final BufferRange result = isReadByRoot ? plan.scratch(call.bytes()) : rank == target ? out : null;
        final BufferRange ofNode = !leads ? null : isAlone ? call.input() : plan.scratch(call.bytes());
        final Segments segments = Segments.of(segment, call.bytes(), reduction.elementBytes(), HierarchicalTable.MAX_SEGMENTS);
        final List<Task> read = new ArrayList<>();
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final long count = segments.bytes(call.bytes(), i) / reduction.elementBytes();
            final BufferRange part = ofNode == null ? null : segments.of(ofNode, i);
            if (!isAlone) {
                plan.nested(levels.node(), Operation.REDUCE, new Call.Reduce(reduction, count, 0, false), segments.of(call.input(), i), part);
            }
            if (leads) {
                final boolean inPlace = isAlone && call.inPlace();
                final Call.Reduce amongLeaders = new Call.Reduce(reduction, count, nodes.nodeOf().get(call.root()), inPlace);
                final Task reduced = plan.nested(levels.leaders(), Operation.REDUCE, amongLeaders, inPlace ? null : part,
                    result == null ? null : segments.of(result, i));
                if (isReadByRoot) {
                    plan.post(reduced);
                }
            } else if (rank == call.root()) {
                read.add(plan.get(target, segments.of(Buffer.SCRATCH.at(0, call.bytes()), i), segments.of(out, i), plan.await(target, i)));
            }
        }
        if (isReadByRoot) {
            plan.await(call.root(), 0);
        } else if (!read.isEmpty()) {
            plan.post(read);
        }
    }
}
