package tutti.runtime.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

class PlanBuilderTest {
    private static final BoundReduction SUM = Op.SUM.bind(Datatype.LONG);

    private final PlanBuilder plan = new PlanBuilder(new Call.Allreduce(SUM, 4, false), 1, 3, false, 3, PlanContext.NONE);

    private static void refused(final String message, final Executable task) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, task).getMessage());
    }

    /** A module cannot bring its own: the runtime applies reductions to memory. */
    @Test
    void shouldRefuseAReductionThatIsNotOfTheRuntime() {
        final Reduction foreign = new Reduction() {
            @Override
            public long elementBytes() {
                return 8;
            }

            @Override
            public boolean isCommutative() {
                return true;
            }

            @Override
            public boolean isPredefined() {
                return true;
            }

            @Override
            public String toString() {
                return "foreign";
            }
        };
        refused("not a reduction of this runtime: reduction=foreign",
            () -> plan.reduce(foreign, Buffer.SEND.at(0, 8), Buffer.RECV.at(0, 8)));
        assertEquals(0, plan.freeze().tasks());
    }

    @Test
    void shouldCountMessagesPerPeerWhateverTheirOrderOfRunning() {
        plan.send(Buffer.SEND.at(0, 8), 0);
        plan.send(Buffer.SEND.at(0, 8), 2);
        plan.send(Buffer.SEND.at(8, 8), 0);
        plan.recv(Buffer.RECV.at(0, 8), 0);
        assertArrayEquals(new int[] {0, 0, 1, 0}, plan.freeze().ordinal);
    }

    @Test
    void shouldOrderAllAfterAFenceBehindAllBeforeIt() {
        final Task a = plan.send(Buffer.SEND.at(0, 8), 0);
        plan.recv(Buffer.RECV.at(0, 8), 2, a);
        plan.send(Buffer.SEND.at(0, 8), 2);
        plan.fence();
        plan.send(Buffer.SEND.at(0, 8), 0);
        final Schedule s = plan.freeze();
        assertArrayEquals(new int[] {0, 2}, s.roots);
        assertArrayEquals(new int[] {0, 1, 0, 2, 1}, s.dependencies);
        assertArrayEquals(new int[] {1, 3, 3, 4}, s.successors);
    }

    @Test
    void shouldKeepScratchReservationsApart() {
        final BufferRange first = plan.scratch(10);
        final BufferRange second = plan.scratch(100);
        assertEquals(10, first.bytes());
        assertEquals(64, second.offset());
        assertEquals(192, plan.freeze().scratchBytes());
    }

    /** Ranks 0 and 1 are on one node. */
    private static final PlanContext PAIR = new PlanContext() {
        @Override
        public CollectiveChannel channel(final CollSubComm group) {
            throw new IllegalArgumentException("none");
        }

        @Override
        public <C extends Call> ServingAlgorithm plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan nested) {
            throw new IllegalStateException("none");
        }

        @Override
        public boolean areOnSameNode(final int one, final int other) {
            return one < 2 && other < 2;
        }
    };

    private static PlanBuilder sharing(final int rank) {
        return new PlanBuilder(new Call.Allreduce(SUM, 4, false), rank, 3, false, 3, PAIR);
    }

    @Test
    void shouldRefuseMoreNestedCollectivesThanTasksCanName() {
        final CollectiveChannel channel = (CollectiveChannel) Proxy.newProxyInstance(PlanBuilderTest.class.getClassLoader(),
            new Class<?>[] {CollectiveChannel.class}, (self, method, args) -> switch (method.getName()) {
                case "isOnSameNode" -> true;
                case "equals" -> self == args[0];
                default -> throw new IllegalStateException(method.getName());
            });
        final PlanContext context = new PlanContext() {
            @Override
            public CollectiveChannel channel(final CollSubComm group) {
                return channel;
            }

            @Override
            public <C extends Call> ServingAlgorithm plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan nested) {
                AdvancedPlan.of(nested).await(1, 0);
                return null;
            }
        };
        final PlanBuilder self = new PlanBuilder(new Call.Barrier(), 0, 2, false, 2, context);
        final CollSubComm group = new CollSubComm() {
            @Override
            public int rank() {
                return 0;
            }

            @Override
            public int size() {
                return 2;
            }

            @Override
            public int parentRank(final int rank) {
                return rank;
            }
        };
        for (int i = 1; i <= Short.MAX_VALUE; i++) {
            self.nested(group, Operation.BARRIER, new Call.Barrier(), null, null);
        }
        refused("too many nested collectives in a plan: max=32768",
            () -> self.nested(group, Operation.BARRIER, new Call.Barrier(), null, null));
    }

    @Test
    void shouldCountPostsAndMakeThemInTheOrderOfPlanning() {
        final PlanBuilder self = sharing(1);
        self.post();
        final Task awaited = self.await(0, 7);
        self.post();
        self.post(awaited);
        final Schedule s = self.freeze();
        assertArrayEquals(new int[] {0, 7, 1, 2}, s.ordinal);
        assertArrayEquals(new int[] {0, 0, 1, 2}, s.dependencies);
        assertEquals(3, s.segments[0].posts());
        assertArrayEquals(new boolean[] {true}, s.shared);
    }

    @Test
    void shouldFindAwaitsAndReadsThatThePeerDoesNotServe() {
        final PlanBuilder self = sharing(1);
        final PlanBuilder peer = sharing(0);
        peer.post();
        self.await(0, 0);
        self.get(0, Buffer.RECV.at(24, 8), Buffer.RECV.at(0, 8));
        assertTrue(self.hasTraffic(0));
        assertNull(PairTraffic.mismatch(self, peer));
        self.await(0, 1);
        assertEquals("rank 1 awaits post 1 of rank 0, which makes 1", PairTraffic.mismatch(self, peer));
        peer.post();
        assertNull(PairTraffic.mismatch(self, peer));
        self.get(0, Buffer.RECV.at(32, 8), Buffer.RECV.at(0, 8));
        assertEquals("rank 1 reads RECV[32..40) of rank 0, which has 32 bytes", PairTraffic.mismatch(peer, self));
    }
}
