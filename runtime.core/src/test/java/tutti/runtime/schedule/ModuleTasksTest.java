package tutti.runtime.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.advanced.OpaqueTask;
import tutti.coll.advanced.OpaqueWork;
import tutti.coll.advanced.Worker;
import tutti.coll.advanced.WorkerTask;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.Mailbox;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;

/** Tests of copies, reductions and opaque tasks that a module carries out, in the plan of a single rank. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ModuleTasksTest {
    private static final Call.Allreduce CALL = new Call.Allreduce(Op.SUM.bind(Datatype.LONG), 2, false);
    private static final BufferRange SEND = Buffer.SEND.at(0, 16);
    private static final BufferRange RECV = Buffer.RECV.at(0, 16);

    private final Mailbox mailbox = new Mailbox();
    private final LocalChannel channel = new LocalChannel(0, mailbox, new SerialExecutor[] {mailbox}, LocalChannel.connected(1)[0].region());
    private final PlanBuilder plan = new PlanBuilder(CALL, 0, 1, false, 1, PlanContext.NONE);
    private final RankLifecycle lifecycle = new RankLifecycle();
    private final long[] send = {1, 2};
    private final long[] recv = {10, 20};
    private final Recorder worker = new Recorder();

    /** Keeps the tasks that it gets. */
    private static final class Recorder implements Worker {
        private final List<WorkerTask> tasks = new ArrayList<>();
        private final CountDownLatch cancelled = new CountDownLatch(1);

        @Override
        public void start(final WorkerTask task) {
            tasks.add(task);
        }

        @Override
        public void cancel(final WorkerTask task) {
            cancelled.countDown();
        }
    }

    private ScheduleExecution started() {
        final ScheduleExecution execution = new ScheduleExecution(plan.freeze(), channel, null, lifecycle);
        restart(execution);
        return execution;
    }

    private void restart(final ScheduleExecution execution) {
        execution.start(MemorySegment.ofArray(send), MemorySegment.ofArray(recv), 1, null);
    }

    @Test
    void shouldGoOnWhenAWorkerCompletesItsTaskOnAnotherThread() throws Exception {
        plan.copy(RECV, plan.scratch(16), plan.reduce(worker, CALL.reduction(), SEND, RECV));
        final ScheduleExecution execution = started();
        assertFalse(execution.isDone());
        final WorkerTask task = worker.tasks.getFirst();
        assertEquals(List.of("SUM", "LONG", 16L), List.of(task.reduction().operation(), task.reduction().elementType(), task.bytes()));
        assertTrue(task.from().isReadOnly());
        assertEquals(2, task.from().get(ValueLayout.JAVA_LONG_UNALIGNED, 8));
        assertEquals(20, task.into().get(ValueLayout.JAVA_LONG_UNALIGNED, 8));
        final Thread thread = new Thread(() -> {
            task.run(8, 8);
            task.run(0, 8);
            task.complete();
        });
        thread.start();
        thread.join();
        assertTrue(execution.isReusable());
        assertArrayEquals(new long[] {11, 22}, recv);
    }

    @Test
    void shouldCompleteATaskWithinItsStart() {
        plan.copy(task -> {
            task.run(0, task.bytes());
            task.complete();
        }, SEND, RECV);
        assertTrue(started().isReusable());
        assertArrayEquals(send, recv);
    }

    @Test
    void shouldRefuseAPartOfAnElementOrBeyondTheTask() {
        plan.reduce(worker, CALL.reduction(), SEND, RECV);
        started();
        final WorkerTask task = worker.tasks.getFirst();
        assertEquals("part cuts an element: offset=4, length=8, element=8",
            assertThrows(IllegalArgumentException.class, () -> task.run(4, 8)).getMessage());
        assertThrows(IndexOutOfBoundsException.class, () -> task.run(8, 16));
    }

    @Test
    void shouldPollAWorkerUntilItsTaskIsComplete() throws Exception {
        final AtomicInteger polls = new AtomicInteger();
        final CountDownLatch polled = new CountDownLatch(1);
        plan.copy(new Worker() {
            @Override
            public void start(final WorkerTask task) {
                // the engine has it
            }

            @Override
            public boolean isPolled() {
                return true;
            }

            @Override
            public void poll(final WorkerTask task) {
                if (polls.incrementAndGet() == 3) {
                    task.run(0, task.bytes());
                    task.complete();
                    polled.countDown();
                }
            }
        }, SEND, RECV);
        final ScheduleExecution execution = started();
        execution.await();
        polled.await();
        assertEquals(3, polls.get());
        assertArrayEquals(send, recv);
    }

    @Test
    void shouldFailTheCallThatAWorkerFails() {
        plan.copy(worker, SEND, RECV);
        final ScheduleExecution execution = started();
        worker.tasks.getFirst().fail(new IllegalStateException("engine lost"));
        worker.tasks.getFirst().complete();
        assertEquals(
            "task of a module failed on " + channel.name()
                + ": worker Recorder, bytes=16, task=0, cause=java.lang.IllegalStateException: engine lost",
            assertThrows(MpiFailure.class, execution::await).getMessage());
    }

    @Test
    void shouldFailTheCallWhoseTaskCannotBeStarted() {
        plan.copy(task -> {
            throw new java.io.IOException("no device");
        }, SEND, RECV);
        final String message = assertThrows(MpiFailure.class, started()::await).getMessage();
        assertTrue(message.endsWith(", bytes=16, task=0, cause=java.io.IOException: no device"), message);
    }

    @Test
    void shouldIgnoreACompletionOfAnEarlierStart() {
        plan.copy(worker, SEND, RECV);
        final ScheduleExecution execution = started();
        worker.tasks.getFirst().complete();
        assertTrue(execution.isReusable());
        restart(execution);
        worker.tasks.getFirst().complete();
        assertFalse(execution.isDone());
        worker.tasks.getLast().complete();
        assertTrue(execution.isReusable());
    }

    @Test
    void shouldCancelATaskWhenTheRankEnds() throws Exception {
        plan.copy(worker, SEND, RECV);
        final ScheduleExecution execution = started();
        final WorkerTask task = worker.tasks.getFirst();
        assertFalse(task.isCancelled());
        lifecycle.end("the job was cancelled");
        worker.cancelled.await();
        assertTrue(task.isCancelled());
        task.complete();
        assertFalse(execution.isDone());
    }

    @Test
    void shouldNameTheWorkerInTheDescription() {
        plan.reduce(worker, CALL.reduction(), SEND, RECV, plan.copy(SEND, RECV));
        final List<PlannedTask> tasks = plan.freeze().describe(channel, 10);
        assertEquals(List.of(PlannedTask.Kind.COPY, PlannedTask.Kind.REDUCE), tasks.stream().map(PlannedTask::kind).toList());
        assertNull(tasks.get(0).module());
        assertEquals("Recorder", tasks.get(1).module().name());
    }

    /** Keeps the tasks that it gets, and completes them when it is polled. */
    private static final class Counter implements OpaqueWork {
        private final List<OpaqueTask> tasks = new ArrayList<>();
        private final CountDownLatch cancelled = new CountDownLatch(1);
        private final boolean isPolled;

        Counter(final boolean isPolled) {
            this.isPolled = isPolled;
        }

        @Override
        public void start(final OpaqueTask task) {
            tasks.add(task);
        }

        @Override
        public boolean isPolled() {
            return isPolled;
        }

        @Override
        public void poll(final OpaqueTask task) {
            task.writes().getFirst().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, task.reads().getFirst().get(ValueLayout.JAVA_LONG_UNALIGNED, 8));
            task.complete();
        }

        @Override
        public void cancel(final OpaqueTask task) {
            cancelled.countDown();
        }
    }

    @Test
    void shouldGiveAnOpaqueTaskTheRangesThatThePlanStatesAndNothingElse() {
        final Counter counter = new Counter(false);
        plan.opaque(counter, List.of(SEND.slice(8, 8), RECV.slice(0, 8)), List.of(RECV.slice(8, 8)));
        started();
        final OpaqueTask task = counter.tasks.getFirst();
        assertEquals(List.of(8L, 8L), task.reads().stream().map(MemorySegment::byteSize).toList());
        assertTrue(task.reads().stream().allMatch(MemorySegment::isReadOnly));
        assertEquals(List.of(2L, 10L), task.reads().stream().map(r -> r.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).toList());
        assertEquals(8, task.writes().getFirst().byteSize());
        assertEquals(20, task.writes().getFirst().get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
    }

    @Test
    void shouldPollAnOpaqueTaskInEveryStart() {
        final Counter counter = new Counter(true);
        final BufferRange digest = plan.scratch(8);
        plan.opaque(counter, List.of(SEND), List.of(digest));
        plan.copy(digest, RECV.slice(0, 8));
        final ScheduleExecution execution = started();
        execution.await();
        assertEquals(2, recv[0]);
        send[1] = 7;
        restart(execution);
        execution.await();
        assertEquals(7, recv[0]);
        assertEquals(2, counter.tasks.size());
    }

    @Test
    void shouldFailTheCallWhoseOpaqueTaskFails() {
        final Counter counter = new Counter(false);
        plan.opaque(counter, List.of(SEND, RECV), List.of());
        final ScheduleExecution execution = started();
        counter.tasks.getFirst().fail(new IllegalStateException("no memory"));
        assertEquals(
            "task of a module failed on " + channel.name() + ": opaque Counter, ranges=2, task=0, cause=java.lang.IllegalStateException: no memory",
            assertThrows(MpiFailure.class, execution::await).getMessage());
    }

    @Test
    void shouldCancelAnOpaqueTaskWhenTheRankEnds() throws Exception {
        final Counter counter = new Counter(false);
        plan.opaque(counter, List.of(SEND), List.of());
        started();
        lifecycle.end("the job was cancelled");
        counter.cancelled.await();
        assertTrue(counter.tasks.getFirst().isCancelled());
    }

    @Test
    void shouldDescribeAnOpaqueTaskByItsRanges() {
        plan.opaque(new Counter(false), List.of(SEND, RECV.slice(0, 8)), List.of(RECV.slice(8, 8)));
        final PlannedTask task = plan.freeze().describe(channel, 10).getFirst();
        assertEquals(PlannedTask.Kind.OPAQUE, task.kind());
        assertEquals(new PlannedTask.ByModule("Counter", null, List.of(SEND, RECV.slice(0, 8)), List.of(RECV.slice(8, 8))), task.module());
        assertEquals(32, task.bytes());
        assertNull(task.from());
    }
}
