package tutti.runtime.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Task;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Send;
import tutti.runtime.match.SendTarget;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;

/** Tests of {@link ScheduleExecution} on rank 0 of 3; the other ranks are executors that record what is sent to them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ScheduleExecutionTest {
    private static final Call.Allreduce CALL = new Call.Allreduce(Op.SUM.bind(Datatype.LONG), 2, false);
    private static final long SIGNATURE = CallSignature.of(Operation.ALLREDUCE, CALL, false);
    private static final BufferRange SEND = Buffer.SEND.at(0, 8);
    private static final BufferRange RECV = Buffer.RECV.at(0, 8);
    private static final BufferRange RECV_2 = Buffer.RECV.at(8, 8);

    private final List<String> events = new ArrayList<>();
    private final List<Send> pendingSends = new ArrayList<>();
    private final Mailbox mailbox = new Mailbox();
    private final LocalChannel channel = new LocalChannel(0, mailbox, new SerialExecutor[] {mailbox, new Peer(1), new Peer(2)},
        LocalChannel.connected(2)[0].region());
    private final PlanBuilder plan = new PlanBuilder(CALL, 0, 3, false, 3, PlanContext.NONE);
    private final long[] send = {1, 2};
    private final long[] recv = new long[2];

    /** Records the messages to a rank; their sends are pending. */
    private final class Peer extends SendTarget {
        private final int rank;

        Peer(final int rank) {
            this.rank = rank;
        }

        @Override
        protected void handleSend(final Send message) {
            final String data = message.call() < 0 ? "invalid" : message.bytes() == 0 ? "nothing"
                : Long.toString(message.data().get(ValueLayout.JAVA_LONG_UNALIGNED, message.offset()));
            events.add("to " + rank + ": " + data + " in call " + (message.tag() >>> Integer.SIZE) + "." + (int) message.tag());
            pendingSends.add(message);
        }
    }

    private ScheduleExecution execution() {
        plan.setSignature(SIGNATURE);
        return new ScheduleExecution(plan.freeze(), channel, null, new RankLifecycle());
    }

    private void start(final ScheduleExecution execution, final long sequence) {
        execution.start(MemorySegment.ofArray(send), MemorySegment.ofArray(recv), sequence, null);
    }

    private ScheduleExecution started() {
        final ScheduleExecution execution = execution();
        start(execution, 1);
        return execution;
    }

    private void deliver(final int from, final long sequence, final long ordinal, final long... data) {
        deliverOfCall(SIGNATURE, from, sequence, ordinal, data);
    }

    private void deliverOfCall(final long call, final int from, final long sequence, final long ordinal, final long... data) {
        final Send message = new Send();
        message.arm(op -> {}, null, 0);
        message.envelope(channel.context(), from, (sequence << Integer.SIZE) + ordinal, 8L * data.length);
        message.ofCall(call);
        message.message(MemorySegment.ofArray(data), 0, 0, false);
        mailbox.submit(message);
    }

    private void completeSends() {
        final List<Send> completed = List.copyOf(pendingSends);
        pendingSends.clear();
        completed.forEach(s -> s.complete(null, null));
    }

    private static void assertFailed(final ScheduleExecution execution, final ErrorClass errorClass, final String message) {
        assertTrue(execution.isDone());
        assertFalse(execution.isReusable());
        final MpiFailure failure = assertThrows(MpiFailure.class, execution::await);
        assertEquals(message, failure.getMessage());
        assertEquals(errorClass, failure.errorClass());
    }

    @Test
    void shouldRefuseMoreScratchMemoryThanAnArrayHas() {
        final long max = Integer.MAX_VALUE * 8L;
        plan.copy(SEND, plan.scratch(max + 8).slice(0, 8));
        assertEquals("schedule needs too much scratch memory: bytes=" + (max + 8) + ", max=" + max,
            assertThrows(MpiFailure.class, this::started).getMessage());
    }

    @Test
    void shouldEndAtOnceWithoutTasks() {
        assertTrue(started().isReusable());
    }

    @Test
    void shouldRunATaskWhenAllItsPredecessorsAreComplete() {
        plan.recv(RECV, 1);
        plan.recv(RECV_2, 2);
        plan.reduce(CALL.reduction(), RECV, RECV_2);
        plan.copy(SEND, RECV);
        plan.send(RECV_2, 1);
        plan.send(RECV, 1);
        final ScheduleExecution execution = started();
        deliver(2, 1, 0, 30);
        assertEquals(List.of(), events);
        deliver(1, 1, 0, 4);
        assertEquals(List.of("to 1: 34 in call 1.0", "to 1: 1 in call 1.1"), events);
        assertFalse(execution.isDone(), "the sends are pending");
        completeSends();
        execution.await();
        assertEquals("[1, 34]", Arrays.toString(recv));
    }

    @Test
    void shouldHoldTasksBehindAFence() {
        plan.send(SEND, 1);
        plan.recv(RECV, 2);
        plan.fence();
        plan.send(RECV, 2);
        plan.send(SEND, 2);
        final ScheduleExecution execution = started();
        deliver(2, 1, 0, 5);
        assertEquals(List.of("to 1: 1 in call 1.0"), events);
        events.clear();
        completeSends();
        assertEquals(List.of("to 2: 5 in call 1.0", "to 2: 1 in call 1.1"), events);
        completeSends();
        assertTrue(execution.isReusable());
    }

    @Test
    void shouldMatchMessagesThatArriveBeforeTheStart() {
        plan.send(RECV, 1, plan.recv(RECV, 1));
        deliver(1, 1, 0, 6);
        started();
        assertEquals(List.of("to 1: 6 in call 1.0"), events);
    }

    @Test
    void shouldRunAgainWithOtherMemoryAndAnotherNumber() {
        plan.send(SEND, 1);
        plan.send(RECV, 1, plan.recv(RECV, 2));
        final ScheduleExecution execution = execution();
        for (int n = 1; n <= 3; n++) {
            final long[] target = new long[2];
            execution.start(MemorySegment.ofArray(new long[] {10 * n, 0}), MemorySegment.ofArray(target), n, null);
            assertFalse(execution.isReusable());
            deliver(2, n, 0, n);
            completeSends();
            assertTrue(execution.isReusable());
            execution.release();
            assertEquals(List.of("to 1: " + 10 * n + " in call " + n + ".0", "to 1: " + n + " in call " + n + ".1"), events);
            assertEquals(n, target[0]);
            events.clear();
        }
    }

    @Test
    void shouldContinueWithInvalidDataWhenAReductionFails() {
        final Call.Allreduce failing = new Call.Allreduce(Op.user("failing", true, (in, inout, count, type) -> {
            throw new IllegalStateException("thrown");
        }).bind(Datatype.LONG), 2, false);
        plan.send(SEND, 1);
        plan.reduce(failing.reduction(), SEND, RECV);
        plan.send(RECV, 1);
        plan.recv(RECV_2, 2);
        final ScheduleExecution execution = started();
        assertEquals(List.of("to 1: 1 in call 1.0", "to 1: invalid in call 1.1"), events);
        completeSends();
        assertFalse(execution.isDone(), "the last task is pending, and no rank is left waiting");
        deliver(2, 1, 0, 1);
        assertTrue(execution.isDone());
        final MpiFailure failure = assertThrows(MpiFailure.class, execution::await);
        assertTrue(failure.getMessage().contains("thrown"), failure.getMessage());
        assertFalse(execution.isReusable());
    }

    @Test
    void shouldFailAtTheEndWhenAPeerSentInvalidData() {
        plan.send(RECV, 2, plan.recv(RECV, 1));
        final ScheduleExecution execution = started();
        deliverOfCall(SIGNATURE | IncomingMessage.INVALID, 1, 1, 0, 0);
        assertEquals(List.of("to 2: invalid in call 1.0"), events);
        completeSends();
        assertFailed(execution, ErrorClass.OTHER, "collective failed on another rank: rank 1 reported it on test");
    }

    @Test
    void shouldFailAtOnceWhenAMessageHasAnotherLength() {
        plan.recv(RECV, 1);
        plan.recv(RECV, 2);
        final ScheduleExecution execution = started();
        deliver(1, 1, 0);
        assertFailed(execution, ErrorClass.COUNT, "message length differs from the plan: bytes=0, planned=8, source=1");
    }

    @Test
    void shouldFailAtOnceWhenASendFails() {
        plan.send(SEND, 1);
        plan.recv(RECV, 2);
        final ScheduleExecution execution = started();
        pendingSends.getFirst().complete(null, new MpiFailure(ErrorClass.OTHER, "node is gone"));
        assertFailed(execution, ErrorClass.OTHER, "node is gone");
        deliver(2, 1, 0, 1);
        assertFailed(execution, ErrorClass.OTHER, "node is gone");
    }

    @Test
    void shouldCancelWhatIsPendingAndSendTheRestWithoutDataWhenAPeerIsInAnotherCall() {
        plan.recv(RECV, 1);
        plan.recv(RECV_2, 2);
        plan.send(RECV_2, 2);
        final ScheduleExecution execution = started();
        final long barrier = CallSignature.of(Operation.BARRIER, new Call.Barrier(), false);
        deliverOfCall(barrier, 1, 1, 0, 1);
        assertEquals(List.of("to 2: invalid in call 1.0"), events);
        assertEquals(0, pendingSends.getFirst().bytes());
        assertFailed(execution, ErrorClass.OTHER,
            "collective calls differ on test: rank 0 calls allreduce(16 bytes), rank 1 calls barrier()");
        deliver(2, 1, 0, 9);
        assertEquals(0, recv[1], "the receive was cancelled");
    }

    @Test
    void shouldNotBeCancelledByItsUser() {
        plan.recv(RECV, 1);
        final ScheduleExecution execution = started();
        execution.cancel();
        execution.free();
        assertFalse(execution.isDone());
        deliver(1, 1, 0, 3);
        execution.await();
        assertEquals(3, recv[0]);
    }

    @Test
    void shouldFailWhenTheRuntimeFailsInATaskAndLeaveTheMailboxUsable() {
        plan.copy(SEND, RECV);
        final ScheduleExecution execution = execution();
        execution.start(null, MemorySegment.ofArray(recv), 1, null);
        assertTrue(execution.isDone());
        final MpiFailure failure = assertThrows(MpiFailure.class, execution::await);
        assertEquals(ErrorClass.INTERN, failure.errorClass());
        assertTrue(failure.getMessage().startsWith("internal error: java.lang.IndexOutOfBoundsException"), failure.getMessage());
        final ScheduleExecution next = started();
        next.await();
        assertEquals(1, recv[0]);
    }

    @Test
    void shouldFailItselfAndNotTheMessageWhenATaskThatTheMessageMadeReadyFails() {
        final Task received = plan.recv(RECV, 1);
        plan.copy(SEND, RECV_2, received);
        final ScheduleExecution execution = execution();
        execution.start(null, MemorySegment.ofArray(recv), 1, null);
        final List<MpiFailure> outcome = new ArrayList<>();
        final Send message = new Send();
        message.arm(op -> outcome.add(op.failure()), null, 0);
        message.envelope(channel.context(), 1, 1L << Integer.SIZE, 8);
        message.ofCall(SIGNATURE);
        message.message(MemorySegment.ofArray(new long[] {5}), 0, 0, false);
        mailbox.submit(message);
        assertEquals(Arrays.asList((MpiFailure) null), outcome);
        assertTrue(execution.isDone());
        assertEquals(ErrorClass.INTERN, assertThrows(MpiFailure.class, execution::await).errorClass());
    }

    @Test
    void shouldLetItsListenerDecideTheOutcome() {
        plan.recv(RECV, 1);
        final ScheduleExecution execution = execution();
        final MpiFailure verdict = new MpiFailure(ErrorClass.OP, "decided");
        execution.start(MemorySegment.ofArray(send), MemorySegment.ofArray(recv), 1, new ScheduleExecution.CompletionListener() {
            @Override
            public MpiFailure finished(final ScheduleExecution ended, final MpiFailure failure) {
                assertNull(failure);
                events.add("finished, done: " + ended.isDone());
                return verdict;
            }

            @Override
            public void afterCompletion(final ScheduleExecution ended, final MpiFailure failure) {
                events.add("after, done: " + ended.isDone() + ": " + failure.getMessage());
            }
        });
        deliver(1, 1, 0, 1);
        assertEquals(List.of("finished, done: false", "after, done: true: decided"), events);
    }
}
