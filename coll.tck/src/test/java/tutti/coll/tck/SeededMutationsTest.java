package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Applies each mutation to every task of a sound algorithm. It must be killed every time, and most counter-examples must name rank, task and peer.
 */
class SeededMutationsTest {
    private static final SymbolicReduction ORDERED = new SymbolicReduction(4, false);
    private static final Set<Mutation> OF_MEMORY = EnumSet.of(Mutation.EARLIER_POST, Mutation.LATE_READ);

    /**
     * Every rank combines its contribution with the result that the previous rank posted, directly or through a copy, and posts. The last rank sends
     * the result to rank 0.
     */
    private static void relay(final Call.Reduce call, final AdvancedPlan plan) {
        final BufferRange sum = plan.scratch(call.bytes());
        final BufferRange copy = plan.scratch(call.bytes());
        final int rank = plan.rank();
        final int last = plan.size() - 1;
        plan.post();
        Task done = plan.copy(call.input(), sum);
        if (rank % 2 == 1) {
            done = plan.reduce(call.reduction(), rank - 1, sum, sum, plan.await(rank - 1, 1));
        } else if (rank > 0) {
            plan.get(rank - 1, sum, copy, plan.await(rank - 1, 1));
            done = plan.reduce(call.reduction(), copy, sum);
        }
        plan.post(done);
        if (rank == 0) {
            plan.recv(Buffer.RECV.at(0, call.bytes()), last);
        } else if (rank < last) {
            plan.await(rank + 1, 1);
        } else {
            plan.send(sum, 0);
        }
    }

    @ParameterizedTest
    @EnumSource(Mutation.class)
    void shouldKillTheMutationAndNameRankTaskAndPeer(final Mutation mutation) {
        final List<Call.Reduce> calls = Collections.nCopies(4, new Call.Reduce(ORDERED, 2, 0, false));
        final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(Operation.REDUCE,
            new AlgorithmTable.Entry<>("relay", (AdvancedAlgorithm<Call.Reduce>) SeededMutationsTest::relay, ReductionOrder.RANKS, List.of()), calls);
        final List<PlanMutations.Killed> killed = outcome.killed().stream().filter(n -> n.mutation() == mutation).toList();
        assertEquals(List.of(), outcome.survived().stream().filter(u -> u.mutation() == mutation).toList());
        assertTrue(!killed.isEmpty(), () -> "never applied: " + mutation);
        final List<CounterExample> named = killed.stream().map(PlanMutations.Killed::counterExample)
            .filter(c -> c.rank() >= 0 && c.task() >= 0 && c.peer() >= 0)
            .toList();
        assertTrue(!named.isEmpty(), () -> killed.toString());
        assertTrue(!OF_MEMORY.contains(mutation) || named.size() == killed.size(), () -> killed.toString());
        assertTrue(named.getFirst().toString().contains(", rank=" + named.getFirst().rank() + ", task=" + named.getFirst().task() + ", peer="
            + named.getFirst().peer()), () -> Arrays.toString(named.toArray()));
    }
}
