package tutti.runtime.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.OffloadDevice;
import tutti.coll.advanced.OffloadedTask;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;

/** Tests of collectives that a device carries out among ranks without communicators. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OffloadedCollectivesTest {
    private static final int RANKS = 3;
    private static final Call.Allreduce CALL = new Call.Allreduce(Op.SUM.bind(Datatype.LONG), 2, false);
    private static final BufferRange SEND = Buffer.SEND.at(0, 16);
    private static final BufferRange RECV = Buffer.RECV.at(0, 16);

    private final LocalChannel[] channels = LocalChannel.connected(RANKS);
    private final RankLifecycle lifecycle = new RankLifecycle();
    private final Adder device = new Adder();
    private final ScheduleExecution[] executions = new ScheduleExecution[RANKS];
    private final long[][] send = IntStream.range(0, RANKS).mapToObj(r -> new long[] {r, 10 * r}).toArray(long[][]::new);
    private final long[][] recv = new long[RANKS][2];

    /** Adds longs when it has the parts of all ranks. */
    private static class Adder implements OffloadDevice {
        private final Map<Long, List<OffloadedTask>> parts = new HashMap<>();
        private final List<OffloadedTask> started = new ArrayList<>();
        private final CountDownLatch cancelled = new CountDownLatch(1);

        @Override
        public void start(final OffloadedTask task) {
            started.add(task);
            final List<OffloadedTask> all = parts.computeIfAbsent(task.number(), n -> new ArrayList<>());
            all.add(task);
            if (all.size() == task.size()) {
                parts.remove(task.number());
                finish(all);
            }
        }

        void finish(final List<OffloadedTask> all) {
            final long elements = all.getFirst().recv().byteSize() / Long.BYTES;
            final long[] sums = new long[(int) elements];
            for (final OffloadedTask part : all) {
                for (int i = 0; i < elements; i++) {
                    final MemorySegment from = part.call().inPlace() ? part.recv() : part.send();
                    sums[i] += from.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
                }
            }
            for (final OffloadedTask part : all) {
                MemorySegment.copy(sums, 0, part.recv(), ValueLayout.JAVA_LONG_UNALIGNED, 0, sums.length);
                part.complete();
            }
        }

        @Override
        public void cancel(final OffloadedTask task) {
            cancelled.countDown();
        }
    }

    private void create(final BiConsumer<Integer, PlanBuilder> plans) {
        for (int rank = 0; rank < RANKS; rank++) {
            final PlanBuilder plan = new PlanBuilder(CALL, rank, RANKS, false, RANKS, PlanContext.NONE);
            plans.accept(rank, plan);
            executions[rank] = new ScheduleExecution(plan.freeze(), channels[rank], null, lifecycle);
        }
    }

    private void start(final int rank, final long sequence) {
        executions[rank].start(MemorySegment.ofArray(send[rank]), MemorySegment.ofArray(recv[rank]), sequence, null);
    }

    private void startAll(final long sequence) {
        for (int rank = RANKS - 1; rank >= 0; rank--) {
            start(rank, sequence);
        }
    }

    private String failure(final int rank) {
        return assertThrows(MpiFailure.class, executions[rank]::await).getMessage();
    }

    private void addAllreduce(final int rank, final PlanBuilder plan) {
        plan.offloaded(device, Operation.ALLREDUCE, CALL, SEND, RECV);
    }

    @Test
    void shouldGiveADeviceThePartsOfAllRanksUnderOneNumber() {
        create(this::addAllreduce);
        startAll(1);
        for (int rank = 0; rank < RANKS; rank++) {
            assertTrue(executions[rank].isReusable());
            assertArrayEquals(new long[] {3, 30}, recv[rank]);
        }
        final OffloadedTask first = device.started.getFirst();
        assertEquals(List.of(2, RANKS, CALL, Operation.ALLREDUCE, 2L), List.of(first.rank(), first.size(), first.call(), first.operation(),
            first.communicator()));
        assertEquals("SUM LONG", first.call().reduction().operation() + " " + first.call().reduction().elementType());
        assertTrue(first.send().isReadOnly());
    }

    @Test
    void shouldNumberTheCollectivesOfAPlanAndOfAllItsStarts() {
        create((rank, plan) -> {
            addAllreduce(rank, plan);
            plan.offloaded(device, Operation.ALLREDUCE, new Call.Allreduce(CALL.reduction(), 1, true), null, RECV.slice(0, 8));
        });
        startAll(1);
        assertArrayEquals(new long[] {9, 30}, recv[0]);
        startAll(2);
        assertEquals(4, device.started.stream().map(OffloadedTask::number).distinct().count());
        assertEquals(12, device.started.size());
    }

    @Test
    void shouldNumberTheStartsOfAPersistentCollectiveByTheirRound() {
        create(this::addAllreduce);
        for (final ScheduleExecution e : executions) {
            e.join(channels[0].region().persistentSlots(5));
        }
        for (int round = 0; round < 2; round++) {
            for (int rank = 0; rank < RANKS; rank++) {
                executions[rank].start(MemorySegment.ofArray(send[rank]), MemorySegment.ofArray(recv[rank]), 5, round, null);
            }
            assertArrayEquals(new long[] {3, 30}, recv[2]);
        }
        assertNotEquals(device.started.getFirst().number(), device.started.getLast().number());
    }

    @Test
    void shouldNotLetTheRootOfABcastBeWritten() {
        final List<OffloadedTask> parts = new ArrayList<>();
        create((rank, plan) -> plan.offloaded(parts::add, Operation.BCAST, new Call.Bcast(16, 1), null, RECV));
        startAll(1);
        assertEquals(List.of(1), parts.stream().filter(p -> p.recv().isReadOnly()).map(OffloadedTask::rank).toList());
    }

    @Test
    void shouldFailTheCallOnAllRanksThatWaitForAPartThatFails() throws Exception {
        create(this::addAllreduce);
        start(0, 1);
        start(1, 1);
        device.started.getFirst().fail(new IllegalStateException("link down"));
        assertEquals("task of a module failed on test: offloaded allreduce by Adder, bytes=16, task=0, "
            + "cause=java.lang.IllegalStateException: link down", failure(0));
        assertEquals("collective failed on another rank: rank 0 reported it on test", failure(1));
        device.cancelled.await();
        assertTrue(device.started.getLast().isCancelled());
        // the notice waits for the rank that is late
        start(2, 1);
        assertEquals("collective failed on another rank: rank 0 reported it on test", failure(2));
        assertEquals(2, device.started.size());
    }

    @Test
    void shouldNotFailRanksWhosePartsAreComplete() {
        create((rank, plan) -> plan.offloaded(task -> {
            if (task.rank() == 2) {
                throw new IOException("no device");
            }
            task.complete();
        }, Operation.ALLREDUCE, CALL, SEND, RECV));
        startAll(1);
        assertTrue(failure(2).endsWith(", bytes=16, task=0, cause=java.io.IOException: no device"));
        assertTrue(failure(0).startsWith("collective failed on another rank"));
        create((rank, plan) -> plan.offloaded(task -> {
            if (task.rank() == 2) {
                throw new IOException("no device");
            }
            task.complete();
        }, Operation.ALLREDUCE, CALL, SEND, RECV));
        start(0, 2);
        start(1, 2);
        start(2, 2);
        assertTrue(executions[0].isReusable());
        assertTrue(executions[1].isReusable());
        assertTrue(failure(2).startsWith("task of a module failed on test: offloaded allreduce by "));
    }

    @Test
    void shouldFailRanksThatWaitForARankWhichCannotPlanTheCall() {
        create(this::addAllreduce);
        final PlanBuilder refused = new PlanBuilder(new Call.Barrier(), 2, RANKS, false, RANKS, PlanContext.NONE);
        refused.setFailure(new MpiFailure(ErrorClass.OTHER, "cannot plan"));
        executions[2] = new ScheduleExecution(refused.freeze(), channels[2], null, lifecycle);
        start(0, 1);
        start(2, 1);
        start(1, 1);
        assertEquals("collective failed on another rank: rank 2 reported it on test", failure(0));
        assertTrue(failure(1).startsWith("collective failed on another rank: "));
        assertEquals("cannot plan", failure(2));
    }

    @Test
    void shouldNotStartAPartWithInvalidData() {
        create((rank, plan) -> {
            if (rank == 1) {
                plan.copy(task -> task.fail(new IllegalStateException("worker lost")), SEND, RECV);
                plan.offloaded(device, Operation.ALLREDUCE, new Call.Allreduce(CALL.reduction(), 2, true), null, RECV);
            } else {
                addAllreduce(rank, plan);
            }
        });
        startAll(1);
        assertTrue(failure(1).endsWith("worker lost"));
        assertEquals("collective failed on another rank: rank 1 reported it on test", failure(0));
        assertEquals("collective failed on another rank: rank 1 reported it on test", failure(2));
        assertFalse(device.started.stream().anyMatch(p -> p.rank() == 1));
    }

    private record Group(int rank, int size) implements CollSubComm {
        @Override
        public int parentRank(final int of) {
            return of + 1;
        }
    }

    /** The hidden communicator of the ranks from 1 on, whose collectives the device carries out. */
    private PlanContext context() {
        final SerialExecutor[] targets = {channels[1].home(), channels[2].home()};
        return new PlanContext() {
            @Override
            public CollectiveChannel channel(final CollSubComm group) {
                return new LocalChannel(group.rank(), channels[group.parentRank(group.rank())].home(), targets, channels[0].region());
            }

            @Override
            public <C extends Call> ServingAlgorithm plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan plan) {
                AdvancedPlan.of(plan).offloaded(device, operation, call, SEND, RECV);
                return null;
            }
        };
    }

    @Test
    void shouldGiveThePartsOfANestedCollectiveTheRanksOfItsCommunicator() {
        final PlanContext context = context();
        for (int rank = 1; rank < RANKS; rank++) {
            final PlanBuilder plan = new PlanBuilder(CALL, rank, RANKS, false, RANKS, context);
            plan.nested(new Group(rank - 1, 2), Operation.ALLREDUCE, CALL, SEND, RECV);
            executions[rank] = new ScheduleExecution(plan.freeze(), channels[rank], null, lifecycle);
            start(rank, 1);
        }
        assertArrayEquals(new long[] {3, 30}, recv[1]);
        assertArrayEquals(new long[] {3, 30}, recv[2]);
        assertEquals(List.of(0, 2, 1, 2), device.started.stream().flatMap(p -> Stream.of(p.rank(), p.size())).toList());
    }

    @Test
    void shouldFailAllRanksOfANestedCollectiveWhosePartFails() {
        final PlanContext context = context();
        for (int rank = 1; rank < RANKS; rank++) {
            final int self = rank;
            final PlanBuilder plan = new PlanBuilder(CALL, rank, RANKS, false, RANKS, context);
            plan.nested(new Group(rank - 1, 2), Operation.ALLREDUCE, CALL, SEND, RECV, self == 1 ? plan.fence() : plan.copy(task -> task.fail(
                new IOException("lost")), SEND, plan.scratch(16)));
            executions[rank] = new ScheduleExecution(plan.freeze(), channels[rank], null, lifecycle);
            start(rank, 1);
        }
        assertTrue(failure(2).endsWith("cause=java.io.IOException: lost"));
        assertTrue(failure(1).startsWith("collective failed on another rank: "));
    }

    @Test
    void shouldDescribeAnOffloadedCollective() {
        create(this::addAllreduce);
        final PlannedTask task = executions[0].schedule().describe(channels[0], 10).getFirst();
        assertEquals(List.of(PlannedTask.Kind.OFFLOADED, SEND, RECV, 16L), List.of(task.kind(), task.from(), task.into(), task.bytes()));
        assertEquals(new PlannedTask.ByModule("Adder", "allreduce", List.of(), List.of()), task.module());
    }
}
