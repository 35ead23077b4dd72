package tutti.runtime.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.shm.RankSlotTable;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.SegmentSlots;

/** Tests of executions that share memory: rank 0 leaves its data in {@link Buffer#SHARED}, rank 1 reads it later. One thread runs both. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SharedMemoryExecutionTest {
    /** Data that fits in the line of a slot, and data that does not. */
    private static final int SHORT = 2;
    private static final int LONG = 500;
    /** A listener makes an execution progress without a thread that waits for it. */
    private static final ScheduleExecution.CompletionListener NOBODY_WAITS = new ScheduleExecution.CompletionListener() {
        @Override
        public MpiFailure finished(final ScheduleExecution execution, final MpiFailure failure) {
            return failure;
        }

        @Override
        public void afterCompletion(final ScheduleExecution execution, final MpiFailure failure) {
            // the test looks at the execution itself
        }
    };

    private static final int RANKS = 4;
    private static final int CALLS = 20_000;

    private final LocalChannel[] channels = LocalChannel.connected(RANKS);
    private final SlotAllocator[] allocators = Stream.generate(SlotAllocator::new).limit(RANKS).toArray(SlotAllocator[]::new);

    private PlanBuilder plan(final int rank, final int longs) {
        final Call.Allreduce call = new Call.Allreduce(Op.SUM.bind(Datatype.LONG), longs, false);
        final PlanBuilder plan = new PlanBuilder(call, rank, RANKS, false, RANKS, new NodeContext());
        plan.setSignature(CallSignature.of(Operation.ALLREDUCE, call, false));
        return plan;
    }

    private ScheduleExecution execution(final int rank, final PlanBuilder plan) {
        return new ScheduleExecution(plan.freeze(), channels[rank], allocators[rank], new RankLifecycle());
    }

    private ScheduleExecution writer(final int longs, final int... readers) {
        final PlanBuilder plan = plan(0, longs);
        final BufferRange shared = plan.shared(8L * longs, readers);
        plan.post(plan.copy(Buffer.SEND.at(0, 8L * longs), shared));
        return execution(0, plan);
    }

    private ScheduleExecution reader(final int longs) {
        return reader(1, longs);
    }

    private ScheduleExecution reader(final int rank, final int longs) {
        final PlanBuilder plan = plan(rank, longs);
        plan.get(0, Buffer.SHARED.at(0, 8L * longs), Buffer.RECV.at(0, 8L * longs), plan.await(0, 0));
        return execution(rank, plan);
    }

    private static void start(final ScheduleExecution execution, final long number, final long[] send, final long[] recv) {
        execution.start(MemorySegment.ofArray(send), MemorySegment.ofArray(recv), number, NOBODY_WAITS);
    }

    private static void write(final ScheduleExecution writer, final long number, final int longs) {
        final long[] data = new long[longs];
        data[longs - 1] = number + 100;
        start(writer, number, data, data);
    }

    private static long read(final ScheduleExecution reader, final long number, final int longs) {
        final long[] data = new long[longs];
        start(reader, number, data, data);
        reader.await();
        return data[longs - 1];
    }

    @ParameterizedTest
    @ValueSource(ints = {SHORT, LONG})
    void shouldBeAheadOfItsReaderByAsManyCallsAsThereAreSlots(final int longs) {
        final ScheduleExecution writer = writer(longs, 1);
        for (int n = 0; n < RankSlotTable.SLOTS; n++) {
            write(writer, n, longs);
            assertTrue(writer.isReusable(), "call " + n);
        }
        write(writer, RankSlotTable.SLOTS, longs);
        assertFalse(writer.isDone(), "its memory is not read yet");
        final ScheduleExecution reader = reader(longs);
        assertEquals(100, read(reader, 0, longs));
        assertTrue(writer.isDone(), "its memory is free");
        for (int n = 1; n <= RankSlotTable.SLOTS; n++) {
            assertEquals(100 + n, read(reader, n, longs));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {SHORT, LONG})
    void shouldTellALateReaderThatItsPeerWasInAnotherCall(final int longs) {
        final ScheduleExecution writer = writer(longs, 1);
        for (int n = 0; n <= RankSlotTable.SLOTS; n++) {
            write(writer, n, longs);
        }
        final ScheduleExecution reader = reader(longs + 1);
        final MpiFailure failure = assertThrows(MpiFailure.class, () -> read(reader, 0, longs + 1));
        assertTrue(failure.getMessage().contains("collective calls differ"), failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {SHORT, LONG})
    void shouldTellALateReaderThatItsPeerHasFailed(final int longs) {
        final PlanBuilder plan = plan(0, longs);
        final BufferRange shared = plan.shared(8L * longs, 1);
        final Task failed = plan.reduce(Op.user("failing", true, (in, inout, count, type) -> {
            throw new IllegalStateException("thrown");
        }).bind(Datatype.LONG), Buffer.SEND.at(0, 8L * longs), shared);
        plan.post(failed);
        write(execution(0, plan), 0, longs);
        final ScheduleExecution writer = writer(longs, 1);
        for (int n = 1; n <= RankSlotTable.SLOTS; n++) {
            write(writer, n, longs);
        }
        final MpiFailure failure = assertThrows(MpiFailure.class, () -> read(reader(longs), 0, longs));
        assertTrue(failure.getMessage().contains("rank 0 reported it"), failure.getMessage());
        assertEquals(101, read(reader(longs), 1, longs));
    }

    /** Checks that a plan is refused that reads memory which rank 0 does not offer. */
    private static void assertWrong(final ScheduleExecution reader, final String message) {
        final MpiFailure failure = assertThrows(MpiFailure.class, () -> read(reader, 0, LONG));
        assertEquals(message, failure.getMessage());
        assertEquals(ErrorClass.INTERN, failure.errorClass());
    }

    private ScheduleExecution reader(final BufferRange from, final boolean waits) {
        final PlanBuilder plan = plan(1, LONG);
        plan.get(0, from, Buffer.RECV.at(0, from.bytes()), waits ? plan.await(0, 0) : plan.fence());
        return execution(1, plan);
    }

    @Test
    void shouldRefuseToReadMoreThanIsShared() {
        write(writer(LONG, 1), 0, LONG);
        assertWrong(reader(Buffer.SHARED.at(8, 8L * LONG), true), "shared memory of another rank out of range on " + channels[1].name() + ": peer="
            + channels[1].nameOf(0) + ", end=" + (8L * LONG + 8) + ", bytes=" + 8L * LONG);
    }

    @Test
    void shouldRefuseToReadTheBuffersOfARankThatHasNotBegunTheCall() {
        assertWrong(reader(Buffer.SEND.at(0, 8), false),
            channels[1].nameOf(0) + " is not in the call that reads its memory on " + channels[1].name());
    }

    @Test
    void shouldRefuseToReadTheBuffersOfARankThatHasLeftTheCall() {
        final ScheduleExecution writer = writer(LONG, 1);
        write(writer, 0, LONG);
        assertTrue(writer.isDone());
        assertWrong(reader(Buffer.SEND.at(0, 8), true),
            channels[1].nameOf(0) + " has left the call that reads its memory on " + channels[1].name());
    }

    /** The parts of a call begin one after the other, the first one last: a rank may look in between. */
    @Test
    void shouldNameTheOtherCallOfAPeerWhoseFirstPartHasNotBegun() {
        final CallGroup group = new CallGroup(1);
        final PlanBuilder plan = plan(1, SHORT);
        plan.nested(group, Operation.BARRIER, new Call.Barrier(), null, null);
        plan.nested(group, Operation.BARRIER, new Call.Barrier(), null, null);
        final ScheduleExecution reader = execution(1, plan);
        final RankSlots peer = channels[0].region().calls().slots(0);
        peer.addSegments(2);
        final SegmentSlots second = Objects.requireNonNull(peer.segment(1));
        second.begin(0, CallSignature.of(Operation.ALLREDUCE, new Call.Allreduce(Op.SUM.bind(Datatype.LONG), LONG, false), false), 1);
        final MpiFailure failure = assertThrows(MpiFailure.class, () -> read(reader, 0, SHORT));
        assertEquals("collective calls differ on test: rank 0 calls allreduce(" + 8 * LONG + " bytes), rank 1 calls allreduce(" + 8 * SHORT
            + " bytes)", failure.getMessage());
    }

    /** With more busy threads than cores, those that wait do not poll, but are woken. */
    @ParameterizedTest
    @ValueSource(ints = {SHORT, LONG})
    void shouldWakeAWriterWhenTheLastOfItsReadersIsDone(final int longs) throws Exception {
        final List<FutureTask<Void>> ranks = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            final ScheduleExecution execution = rank == 0 ? writer(longs, 1, 2, 3) : reader(rank, longs);
            final boolean reads = rank > 0;
            ranks.add(new FutureTask<>(() -> repeat(execution, longs, reads), null));
            Thread.ofPlatform().daemon().name("rank " + rank).start(ranks.getLast());
        }
        for (final FutureTask<Void> rank : ranks) {
            rank.get();
        }
    }

    private static void repeat(final ScheduleExecution execution, final int longs, final boolean reads) {
        CoreOccupancy.enter();
        try {
            final long[] send = new long[longs];
            final long[] recv = new long[longs];
            for (int n = 0; n < CALLS; n++) {
                send[longs - 1] = n;
                execution.start(MemorySegment.ofArray(send), MemorySegment.ofArray(recv), n, null);
                execution.await();
                assertTrue(!reads || recv[longs - 1] == n, "call " + n);
            }
        } finally {
            CoreOccupancy.leave();
        }
    }

    /** A group of all ranks. */
    private record CallGroup(int rank) implements CollSubComm {
        @Override
        public int size() {
            return RANKS;
        }

        @Override
        public int parentRank(final int rankInGroup) {
            return rankInGroup;
        }
    }

    /** All ranks are on one node. In a part of a plan every rank but 0 awaits what rank 0 posts. */
    private final class NodeContext implements PlanContext {
        @Override
        public CollectiveChannel channel(final CollSubComm group) {
            return channels[group.rank()];
        }

        @Override
        public <C extends Call> ServingAlgorithm plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan plan) {
            final AdvancedPlan part = AdvancedPlan.of(plan);
            if (plan.rank() == 0) {
                part.post();
            } else {
                part.await(0, 0);
            }
            return null;
        }

        @Override
        public boolean areOnSameNode(final int one, final int other) {
            return true;
        }
    }
}
