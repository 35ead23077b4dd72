package tutti.coll.smp;

import java.util.List;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Barrier over nodes: the ranks of each node report to their leader, the leaders run a barrier among themselves, and each leader releases its node.
 *
 * <p>Source: T. Kielmann, R. F. H. Hofman, H. E. Bal, A. Plaat, R. A. F. Bhoedjang, MagPIe: MPI's collective communication operations for clustered
 * wide area systems, PPoPP 1999, doi:10.1145/301104.301116.
 * <p>Idea: only leaders exchange messages. Within a node ranks post along a tree, as in {@link GatherReleaseBarrier}.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3)     2 4 → 0, 3 → 1;  barrier of 0 and 1;  0 → 2 4, 1 → 3
 * </pre>
 * <p>Cost for k nodes: the cost of the leaders' barrier of k ranks, ⌈log2 k⌉ α for a dissemination barrier; and within the largest node of q
 * ranks ⌈log_f q⌉ + 1 hops from post to await.
 * <p>Needs: two nodes or more; any placement.
 * <p>Memory: none.
 */
final class HierarchicalBarrier implements AdvancedAlgorithm<Call.Barrier> {
    private final HierarchyLevels levels;
    private final int radix;

    HierarchicalBarrier(final HierarchyLevels levels, final int radix) {
        this.levels = levels;
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Barrier call, final AdvancedPlan plan) {
        final List<Integer> members = levels.nodes().nodeMembers(plan.rank());
        final FanInTree tree = new FanInTree(members.size(), radix);
        // the leader is the top
        final Task[] below = tree.children(tree.top() - members.indexOf(plan.rank())).stream()
            .map(index -> plan.await(members.get(tree.top() - index), 0)).toArray(Task[]::new);
        if (levels.nodes().leads(plan.rank())) {
            final Task all = plan.nested(levels.leaders(), Operation.BARRIER, call, null, null, below);
            if (members.size() > 1) {
                plan.post(all);
            }
        } else {
            plan.post(below);
            plan.await(members.getFirst(), 0);
        }
    }
}
