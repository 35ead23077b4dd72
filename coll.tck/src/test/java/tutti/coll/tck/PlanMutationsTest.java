package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;

class PlanMutationsTest {
    private static final List<Call.Bcast> CALLS = Collections.nCopies(2, new Call.Bcast(8, 0));
    private static final BufferRange DATA = Buffer.RECV.at(0, 8);

    @Test
    void shouldKillEveryMutationOfASoundAlgorithm() {
        final PlanMutations.Outcome outcome = mutate((call, plan) -> {
            if (plan.rank() == 0) {
                plan.send(DATA, 1);
            } else {
                plan.recv(DATA, 0);
            }
        });
        assertEquals(List.of(), outcome.survived());
        // each task: another peer, another range, dropped, in a cycle; the send: too short as well
        assertEquals(9, outcome.applied());
    }

    @Test
    void shouldShowADependencyThatIsNotNeeded() {
        final PlanMutations.Outcome outcome = mutate((call, plan) -> {
            if (plan.rank() == 0) {
                plan.send(DATA.slice(4, 4), 1, plan.send(DATA.slice(0, 4), 1));
            } else {
                plan.recv(DATA.slice(0, 4), 0);
                plan.recv(DATA.slice(4, 4), 0);
            }
        });
        assertEquals(1, outcome.survived().size(), outcome::toString);
        assertEquals(Mutation.MISSING_DEPENDENCY, outcome.survived().getFirst().mutation());
        assertEquals(1, outcome.survived().getFirst().task().id());
    }

    @Test
    void shouldShowATaskThatIsNotNeeded() {
        final PlanMutations.Outcome outcome = mutate((call, plan) -> {
            if (plan.rank() == 0) {
                plan.copy(DATA, plan.scratch(8));
                plan.send(DATA, 1);
            } else {
                plan.recv(DATA, 0);
            }
        });
        assertEquals(List.of(Mutation.SHORT_SPAN, Mutation.DROPPED_TASK),
            outcome.survived().stream().map(PlanMutations.Survived::mutation).toList());
    }

    private static PlanMutations.Outcome mutate(final Algorithm<Call.Bcast> algorithm) {
        return PlanMutations.mutateEveryTask(Operation.BCAST, new AlgorithmTable.Entry<>("own", algorithm, ReductionOrder.RANKS, List.of()),
            CALLS);
    }
}
