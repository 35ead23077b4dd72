package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

class CostSimulatorTest {
    private static final SymbolicReduction OP = new SymbolicReduction(4, true);
    private static final Call.Allreduce CALL = new Call.Allreduce(OP, 2, true);
    private static final BufferRange DATA = Buffer.RECV.at(0, 8);

    @Test
    void shouldAddUpMessagesBytesAndReductions() {
        final CostSimulator cost = CostSimulator.of(CostSimulatorTest::toZeroAndBack, 3, CALL);
        assertEquals(3, cost.size());
        assertEquals(4, cost.messages());
        assertEquals(16, cost.combined());
        assertEquals(16, cost.scratch());
        assertEquals(6, cost.tasks());
        assertEquals(4, cost.time(1, 0, 0));
        assertEquals(32, cost.time(0, 1, 0));
        assertEquals(16, cost.time(0, 0, 1));
        // the first reduction overlaps with the second message
        assertEquals(4 * 18 + 8, cost.time(10, 1, 1));
    }

    @Test
    void shouldCountBothDirectionsAtOnce() {
        final CostSimulator cost = CostSimulator.of((call, plan) -> {
            final int other = 1 - plan.rank();
            plan.send(DATA, other);
            plan.recv(plan.scratch(8), other);
        }, 2, CALL);
        assertEquals(1, cost.time(1, 0, 0));
    }

    @Test
    void shouldLetARankReceiveOneMessageAtATime() {
        final Algorithm<Call.Allreduce> all = (call, plan) -> {
            if (plan.rank() > 0) {
                plan.send(DATA, 0);
            } else {
                for (int peer = 1; peer < plan.size(); peer++) {
                    plan.recv(plan.scratch(8), peer);
                }
            }
        };
        assertEquals(4, CostSimulator.of(all, 5, CALL).time(1, 0, 0));
    }

    @Test
    void shouldRefuseMessagesWithoutAMatch() {
        assertThrows(IllegalArgumentException.class, () -> CostSimulator.of((call, plan) -> plan.send(DATA, 0), 1, CALL));
    }

    /** Rank 0 receives from the others one by one, and sends them the result. */
    private static void toZeroAndBack(final Call.Allreduce call, final Plan plan) {
        if (plan.rank() > 0) {
            plan.send(DATA, 0);
            plan.recv(DATA, 0);
            return;
        }
        for (int peer = 1; peer < plan.size(); peer++) {
            final BufferRange part = plan.scratch(8);
            plan.recv(part, peer);
            plan.reduce(OP, part, DATA);
        }
        for (int peer = 1; peer < plan.size(); peer++) {
            plan.send(DATA, peer);
        }
    }
}
