package tutti.coll.patterns;

import java.util.Arrays;
import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Task;

/**
 * Dissemination barrier with radix k: in round i every rank notifies the ranks at distances 1 to k-1 times k^i above, in cyclic order.
 *
 * <p>Source: D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, International Journal of Parallel Programming
 * 17(1), 1988, doi:10.1007/BF01379320 (there: k = 2).
 * <p>Idea: before round i a rank knows that k^i consecutive ranks, the last of which is itself, have entered. The message from j k^i below
 * stands for the sender and the k^i - 1 ranks below it, or for those of them that no other message covers. A rank sends after it has received
 * the messages about all ranks that its own message stands for.
 * <pre>
 *   5 ranks, k = 3     round 1:  0 → 1 → 2 → 3 → 4 → 0,  0 → 2 → 4 → 1 → 3 → 0
 *                      round 2:  0 → 3 → 1 → 4 → 2 → 0     stands for 3 and 4 below: the sender waits for its next rank below
 * </pre>
 * <p>Cost for p ranks: p = k^q: q(k-1)α; other p: (q(k-1) + ⌈(p - k^q)/k^q⌉)α with q = ⌊log_k p⌋; p empty messages for each α. Where k-1 messages
 * of a rank move at once, ⌈log_k p⌉ α.
 * <p>Needs: nothing; any p.
 * <p>Memory: none.
 */
public final class DisseminationBarrier implements Algorithm<Call.Barrier> {
    private final int radix;

    /** @param radix k */
    public DisseminationBarrier(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Barrier call, final Plan plan) {
        final int size = plan.size();
        final List<RadixStep> steps = RadixStep.all(radix, size);
        final BufferRange empty = plan.scratch(0);
        final Task[] received = new Task[steps.size()];
        for (int i = 0; i < received.length; i++) {
            final RadixStep step = steps.get(i);
            plan.send(empty, CyclicRanks.up(plan.rank(), step.distance(), size), Arrays.copyOf(received, RadixStep.countNearer(steps, step.ranks())));
            received[i] = plan.recv(empty, CyclicRanks.down(plan.rank(), step.distance(), size));
        }
    }
}
