package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/** Tests which reads of a peer's memory the checker accepts, and which it rejects. */
class SharedMemoryRacesTest {
    private static final BufferRange DATA = Buffer.RECV.at(0, 8);
    private static final SymbolicReduction OP = new SymbolicReduction(4, false);

    /** The root posts, the others get and post, and the root awaits their posts. */
    private static void bcast(final Call.Bcast call, final AdvancedPlan plan) {
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        if (plan.rank() == call.root()) {
            plan.post();
            for (int i = 1; i < plan.size(); i++) {
                plan.await((call.root() + i) % plan.size(), 0);
            }
        } else {
            plan.post(plan.get(call.root(), data, data, plan.await(call.root(), 0)));
        }
    }

    /** Rank 0 combines the contributions in its peers' memory, from the last down, and the others get the result. */
    private static void allreduce(final Call.Allreduce call, final AdvancedPlan plan) {
        final BufferRange result = Buffer.RECV.at(0, call.bytes());
        if (plan.rank() > 0) {
            plan.post();
            plan.post(plan.get(0, result, result, plan.await(0, 0)));
            return;
        }
        final BufferRange sum = plan.scratch(call.bytes());
        final int last = plan.size() - 1;
        Task done = last == 0 ? plan.copy(call.input(), result) : plan.get(last, call.input(), result, plan.await(last, 0));
        for (int i = last - 1; i > 0; i--) {
            done = plan.reduce(call.reduction(), i, call.input(), result, plan.await(i, 0));
        }
        if (last > 0) {
            plan.copy(call.input(), sum);
            plan.copy(sum, plan.scratch(call.bytes()), done);
            done = plan.reduce(call.reduction(), sum, result);
        }
        plan.post(done);
        for (int i = 1; i <= last; i++) {
            plan.await(i, 1);
        }
    }

    @Test
    void shouldAcceptSoundAlgorithmsOfManyRanks() {
        for (int size = 1; size <= 64; size++) {
            PlanChecker.prove(Operation.BCAST, entry(SharedMemoryRacesTest::bcast), CallCases.of(Operation.BCAST, size, List.of(3), 0, size - 1));
            PlanChecker.prove(Operation.ALLREDUCE, entry(SharedMemoryRacesTest::allreduce), CallCases.of(Operation.ALLREDUCE, size, List.of(3))
                .stream().filter(c -> !c.getFirst().inPlace()).toList());
        }
    }

    private static <C extends Call> AlgorithmTable.Entry<C> entry(final AdvancedAlgorithm<C> algorithm) {
        return new AlgorithmTable.Entry<>("own", algorithm, ReductionOrder.RANKS, List.of());
    }

    @Test
    void shouldFindAPostThatIsNeverMade() {
        assertFound("awaits a post that the peer never makes: post=1, posts=1 (AWAIT 1 after []): size=2, rank=1, task=0, peer=0", (call, plan) -> {
            if (plan.rank() == 0) {
                plan.post();
                plan.await(1, 0);
            } else {
                plan.post(plan.get(0, DATA, DATA, plan.await(0, 1)));
            }
        });
    }

    @Test
    void shouldFindAReadBeforeThePeerHasBegun() {
        assertFound("reads before the peer has begun (GET RECV[0..8) of the peer into RECV[0..8) after []): size=2, rank=1, task=0, peer=0",
            (call, plan) -> {
                if (plan.rank() == 0) {
                    plan.await(1, 0);
                } else {
                    plan.post(plan.get(0, DATA, DATA));
                }
            });
    }

    @Test
    void shouldFindAReadThatMayComeAfterTheEnd() {
        assertFound("may read when the peer is done (GET RECV[0..8) of the peer into RECV[0..8) after [0]): size=2, rank=1, task=1, peer=0",
            (call, plan) -> {
                if (plan.rank() == 0) {
                    plan.post();
                } else {
                    plan.get(0, DATA, DATA, plan.await(0, 0));
                }
            });
    }

    @Test
    void shouldFindAReadThatRacesWithTheWriter() {
        assertFound("race with the peer's task 0 (COPY RECV[0..8) into SCRATCH[0..8) after []) "
            + "(GET SCRATCH[0..8) of the peer into RECV[0..8) after [0]): size=2, rank=1, task=1, peer=0", (call, plan) -> {
                if (plan.rank() == 0) {
                    plan.copy(DATA, plan.scratch(8));
                    plan.post();
                    plan.await(1, 0);
                } else {
                    plan.post(plan.get(0, Buffer.SCRATCH.at(0, 8), DATA, plan.await(0, 0)));
                }
            });
    }

    /** A received message orders what its sender did before it, and nothing else. */
    @Test
    void shouldOrderByReceivesAndNotBySends() {
        final AdvancedAlgorithm<Call.Bcast> sound = (call, plan) -> {
            if (plan.rank() == 0) {
                plan.send(plan.scratch(0), 1, plan.copy(DATA, plan.scratch(8)));
                plan.recv(plan.scratch(0), 1);
            } else {
                final Task got = plan.get(0, Buffer.SCRATCH.at(0, 8), DATA, plan.recv(plan.scratch(0), 0));
                plan.send(plan.scratch(0), 0, got);
            }
        };
        PlanChecker.prove(Operation.BCAST, entry(sound), List.of(Collections.nCopies(2, new Call.Bcast(8, 0))));
        assertFound("may read when the peer is done (GET SCRATCH[0..8)", (call, plan) -> {
            if (plan.rank() == 0) {
                plan.send(plan.scratch(0), 1, plan.copy(DATA, plan.scratch(8)));
                plan.send(plan.scratch(0), 1);
            } else {
                final Task got = plan.get(0, Buffer.SCRATCH.at(0, 8), DATA, plan.recv(plan.scratch(0), 0));
                plan.recv(plan.scratch(0), 0, got);
            }
        });
    }

    @Test
    void shouldFindPostsThatWaitForEachOther() {
        assertFound("deadlock without eager delivery, each waits for the next: rank 0 task 0, rank 1 task 0 (AWAIT 0 after []): size=2, rank=0, "
            + "task=0, peer=1", (call, plan) -> plan.post(plan.await(1 - plan.rank(), 0)));
    }

    @Test
    void shouldFindMemoryThatThePeerDoesNotHave() {
        assertFound("the peer has no such memory: range not within a reservation: range=SCRATCH[0..8) "
            + "(GET SCRATCH[0..8) of the peer into RECV[0..8) after [0]): size=2, rank=1, task=1, peer=0", (call, plan) -> {
                if (plan.rank() == 0) {
                    plan.post();
                    plan.await(1, 0);
                } else {
                    plan.post(plan.get(0, Buffer.SCRATCH.at(0, 8), DATA, plan.await(0, 0)));
                }
            });
    }

    @Test
    void shouldMakePostsInTheOrderOfPlanning() {
        final RecordingPlan plan = new RecordingPlan(0, 2, new Call.Bcast(8, 0));
        plan.post();
        plan.post(plan.await(1, 3));
        assertEquals(List.of(0, 1), Arrays.stream(plan.tasks().get(2).after()).boxed().toList());
        assertEquals(List.of(0, 3, 1), plan.tasks().stream().map(RecordedTask::post).toList());
    }

    @Test
    void shouldStateWhatSharedMemoryCosts() {
        final CostSimulator cost = CostSimulator.of((AdvancedAlgorithm<Call.Bcast>) SharedMemoryRacesTest::bcast, 4, new Call.Bcast(8, 0));
        assertEquals(0, cost.messages());
        assertEquals(8, cost.read());
        // the others observe the post, read at the same time, and the root observes their posts
        assertEquals(2 * 100 + 8, cost.time(100, 1, 0));
        final CostSimulator sum =
            CostSimulator.of((AdvancedAlgorithm<Call.Allreduce>) SharedMemoryRacesTest::allreduce, 3, new Call.Allreduce(OP, 2, false));
        assertEquals(16, sum.combined());
        assertEquals(3 * 100 + 3 * 8 + 2 * 8 * 10, sum.time(100, 1, 10));
    }

    @Test
    void shouldKillEveryMutation() {
        for (final int size : new int[] {2, 3, 4}) {
            assertAllKilled(Operation.BCAST, SharedMemoryRacesTest::bcast, Collections.nCopies(size, new Call.Bcast(8, 1)));
        }
    }

    private static <C extends Call> void assertAllKilled(final Operation<C> operation, final AdvancedAlgorithm<C> algorithm, final List<C> calls) {
        final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(operation, entry(algorithm), calls);
        assertEquals(List.of(), outcome.survived());
        assertTrue(outcome.killed().stream().anyMatch(n -> n.mutation() == Mutation.LATE_READ), outcome::toString);
    }

    private static void assertFound(final String expected, final AdvancedAlgorithm<Call.Bcast> algorithm) {
        final List<Call.Bcast> calls = Collections.nCopies(2, new Call.Bcast(8, 0));
        final String found = PlanChecker.check(Operation.BCAST, "own", algorithm, calls).map(CounterExample::toString).orElse("sound");
        assertEquals("bcast/own: " + expected, found.substring(0, Math.min(found.length(), expected.length() + 11)));
    }
}
