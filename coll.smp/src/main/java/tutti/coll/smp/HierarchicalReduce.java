package tutti.coll.smp;

import java.util.Objects;
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
final class HierarchicalReduce implements Algorithm<Call.Reduce> {
    private final HierarchyLevels levels;
    private final long segment;

    HierarchicalReduce(final HierarchyLevels levels, final long segment) {
        this.levels = levels;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final NodeGroups nodes = levels.nodes();
        final int rank = plan.rank();
        final int target = nodes.nodeMembers(call.root()).getFirst();
        final boolean isRootNotLeader = target != call.root();
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        final BufferRange ofLeader = rank != target ? null : isRootNotLeader ? plan.scratch(call.bytes()) : out;
        final Segments segments = Segments.of(segment, call.bytes(), reduction.elementBytes(), HierarchicalTable.MAX_SEGMENTS);
        final int[] reduced = nodes.leads(rank) ? amongLeaders(call, reduction, plan, segments, ofLeader)
            : inNode(call, reduction, plan, segments, null);
        if (isRootNotLeader && rank == target) {
            for (final int task : reduced) {
                plan.post(task);
            }
            plan.await(call.root(), 0);
        } else if (isRootNotLeader && rank == call.root()) {
            final Dependencies read = new Dependencies();
            for (int i = 0; i < segments.count(call.bytes()); i++) {
                final int available = plan.await(target, i);
                read.add(plan.get(target, segments.of(Buffer.SCRATCH.at(0, call.bytes()), i), segments.of(out, i),
                    call.inPlace() ? Dependencies.of(available, reduced[i]) : Dependencies.of(available)));
            }
            plan.post(read.all());
        }
    }

    /** Returns for each segment the task after which it is at {@code into} on the leader of the root's node. */
    private int[] amongLeaders(final Call.Reduce call, final Reduction reduction, final Plan plan, final Segments segments,
        final @Nullable BufferRange into) {
        final NodeGroups nodes = levels.nodes();
        final boolean isAlone = nodes.nodeMembers(plan.rank()).size() == 1;
        final BufferRange ofNode = isAlone ? call.input() : plan.scratch(call.bytes());
        final int[] reducedInNode = isAlone ? Dependencies.NONE : inNode(call, reduction, plan, segments, ofNode);
        final boolean inPlace = isAlone && call.inPlace();
        final Dependencies done = new Dependencies();
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final Call.Reduce part = new Call.Reduce(reduction, segments.bytes(call.bytes(), i) / reduction.elementBytes(),
                nodes.nodeOf().get(call.root()), inPlace);
            done.add(plan.nested(levels.leaders(), Operation.REDUCE, part, inPlace ? null : segments.of(ofNode, i),
                into == null ? null : segments.of(into, i), isAlone ? Dependencies.NONE : Dependencies.of(reducedInNode[i])));
        }
        return done.all();
    }

    private int[] inNode(final Call.Reduce call, final Reduction reduction, final Plan plan, final Segments segments,
        final @Nullable BufferRange into) {
        final Dependencies done = new Dependencies();
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final Call.Reduce part = new Call.Reduce(reduction, segments.bytes(call.bytes(), i) / reduction.elementBytes(), 0, false);
            done.add(plan.nested(levels.node(), Operation.REDUCE, part, segments.of(call.input(), i), into == null ? null : segments.of(into, i)));
        }
        return done.all();
    }
}
