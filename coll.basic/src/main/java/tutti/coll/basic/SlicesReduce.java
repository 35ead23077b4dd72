package tutti.coll.basic;

import java.util.Objects;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Reduction;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Reduce to a rank of another group for long data: a reduce-scatter in the group, whose ranks send their slices to the root.
 *
 * <p>Source: R. Rabenseifner, Optimization of collective reduction operations, ICCS 2004, doi:10.1007/978-3-540-24685-5_1 (reduce-scatter and
 * gather); the gather to another group is new in this module.
 * <p>Idea: the ranks of the group share the work of combining, and the root receives each slice at its final location. Slices are those of
 * {@link GroupSlices}. The other ranks of the root's group take no part.
 * <pre>
 *   2 ranks; and 3 ranks, root 1     reduce-scatter: a has (a b)[0], b has (a b)[1];   a → 1,  b → 1
 * </pre>
 * <p>Cost for q ranks in the sending group, n bytes that q divides: at most nβ more than the group's reduce-scatter, and q messages between the
 * groups. Where the module itself serves the group, reduce-scatter {@code binomial} makes it slower than {@link LeadersReduce}; it pays where another
 * module has one by recursive halving or shared memory.
 * <p>Needs: nothing; any two groups, any root; keeps the order of ranks if the nested reduce-scatter does.
 * <p>Memory: n/q bytes, and what the reduce-scatter needs.
 */
final class SlicesReduce implements AdvancedAlgorithm<Call.Reduce> {
    static final String NAME = "slices";

    private final CollSubComm group;

    SlicesReduce(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Reduce call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final long element = reduction.elementBytes();
        if (call.root() == Call.ROOT) {
            final GroupSlices slices = GroupSlices.of(call.bytes(), element, plan.remoteSize(), 1);
            for (int peer = 0; peer < plan.remoteSize(); peer++) {
                final BufferRange slice = slices.senders().of(Buffer.RECV.at(0, call.bytes()), peer);
                if (slice.bytes() > 0) {
                    plan.recv(slice, peer);
                }
            }
        } else {
            final GroupSlices slices = GroupSlices.of(call.bytes(), element, plan.size(), 1);
            final BufferRange slice = plan.scratch(slices.senders().bytes(plan.rank()));
            slices.reduceScatter(plan, group, reduction, call.input(), slice);
            if (slice.bytes() > 0) {
                plan.send(slice, call.root());
            }
        }
    }
}
