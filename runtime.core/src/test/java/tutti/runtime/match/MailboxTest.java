package tutti.runtime.match;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Tests of {@link Mailbox}: what matches what, and when sends and receives complete. */
class MailboxTest {
    private static final int CONTEXT = 4;

    private final Mailbox mailbox = new Mailbox();
    /** The tokens of the operations that completed, in order. */
    private final List<Integer> completed = new ArrayList<>();

    private Send send(final int token, final int source, final long tag, final byte... data) {
        return send(token, CONTEXT, source, tag, false, data);
    }

    private Send send(final int token, final int context, final int source, final long tag, final boolean synchronous, final byte... data) {
        final Send send = new Send();
        send.arm(op -> completed.add(op.token()), null, token);
        send.envelope(context, source, tag, data.length);
        send.message(MemorySegment.ofArray(data), 0, 0, synchronous);
        mailbox.submit(send);
        return send;
    }

    private Receive receive(final int token, final int source, final long tag, final byte[] target) {
        final Receive receive = prepared(token, source, tag, target);
        mailbox.submit(receive);
        return receive;
    }

    private Receive prepared(final int token, final int source, final long tag, final byte[] target) {
        final Receive receive = new Receive();
        receive.arm(op -> completed.add(op.token()), null, token);
        receive.want(CONTEXT, source, tag);
        receive.into(MemorySegment.ofArray(target), 0, target.length);
        return receive;
    }

    @Test
    void shouldStopToCopyMessagesWhenTheThreadIsInterrupted() {
        Thread.currentThread().interrupt();
        final MessageCapture capture = new MessageCapture();
        assertEquals("interrupted while messages were copied", assertThrows(MpiFailure.class, () -> capture.of(mailbox)).getMessage());
        assertTrue(Thread.interrupted());
    }

    @Test
    void shouldCopyMessagesWhenTheOwnerGoesOn() throws Exception {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);
        final FutureTask<Void> owner = new FutureTask<>(() -> {
            final Send send = new Send();
            send.arm(op -> {
                begun.countDown();
                assertDoesNotThrow(() -> end.await(60, TimeUnit.SECONDS));
            }, null, 1);
            send.envelope(CONTEXT, 2, 9, 0);
            send.message(MemorySegment.ofArray(new byte[0]), 0, 0, false);
            mailbox.submit(send);
        }, null);
        Thread.ofPlatform().daemon().start(owner);
        assertTrue(begun.await(60, TimeUnit.SECONDS));
        final FutureTask<Integer> copied = new FutureTask<>(() -> new MessageCapture().of(mailbox).size());
        final Thread copying = Thread.ofPlatform().daemon().start(copied);
        await().atMost(Duration.ofSeconds(60)).until(() -> copying.getState() == Thread.State.WAITING);
        end.countDown();
        owner.get();
        assertEquals(1, copied.get());
    }

    @Test
    void shouldCountEachMessageOnceWhetherItIsExpectedOrNot() {
        receive(1, 2, 9, new byte[3]);
        send(2, 2, 9, (byte) 1, (byte) 2, (byte) 3);
        send(3, 2, 9, (byte) 4);
        assertEquals(2, mailbox.received().messages());
        receive(4, 2, 9, new byte[1]);
        assertEquals(List.of(1, 2, 3, 4), completed);
        assertEquals(2, mailbox.received().messages());
        assertEquals(4, mailbox.received().bytes());
    }

    @Test
    void shouldMatchPostedReceivesFromTheOldest() {
        final byte[] first = new byte[1];
        final byte[] second = new byte[1];
        receive(1, 2, 9, first);
        receive(2, Receive.ANY, Receive.ANY, second);
        send(3, 2, 9, (byte) 5);
        send(4, 2, 9, (byte) 6);
        assertEquals(List.of(1, 3, 2, 4), completed);
        assertEquals(5, first[0]);
        assertEquals(6, second[0]);
    }

    @Test
    void shouldMatchUnexpectedMessagesFromTheOldest() {
        send(1, 0, 1, (byte) 1);
        send(2, 1, 1, (byte) 2);
        send(3, 1, 2, (byte) 3);
        final byte[] target = new byte[1];
        assertEquals(1, receive(4, 1, Receive.ANY, target).withTag());
        assertEquals(2, target[0]);
        assertEquals(0, receive(5, Receive.ANY, 1, target).fromSource());
        assertEquals(1, target[0]);
        assertEquals(2, receive(6, Receive.ANY, Receive.ANY, target).withTag());
        assertEquals(3, target[0]);
        assertEquals(List.of(1, 2, 3, 4, 5, 6), completed);
    }

    @Test
    void shouldKeepContextsApart() {
        send(1, CONTEXT + 1, 0, 1, false, (byte) 1);
        receive(2, Receive.ANY, Receive.ANY, new byte[1]);
        assertEquals(List.of(1), completed);
        send(3, CONTEXT, 0, 1, false, (byte) 1);
        assertEquals(List.of(1, 2, 3), completed);
    }

    @Test
    void shouldCompleteASynchronousOrLongSendOnlyWhenItIsReceived() {
        send(1, CONTEXT, 0, 1, true, (byte) 1);
        final byte[] data = new byte[Send.EAGER_LIMIT + 1];
        send(2, 0, 2, data);
        assertEquals(List.of(), completed);
        data[Send.EAGER_LIMIT] = 7;
        final byte[] target = new byte[data.length];
        receive(3, 0, 2, target);
        assertArrayEquals(data, target, "the message was not copied before");
        receive(4, 0, 1, new byte[1]);
        assertEquals(List.of(3, 2, 4, 1), completed);
    }

    @Test
    void shouldCopyUnexpectedMessagesUpToALimitAndAgainWhenTheyAreReceived() {
        final byte[] data = new byte[Send.EAGER_LIMIT];
        int copied = 0;
        while (completed.size() == copied) {
            send(copied++, 0, 1, data);
        }
        assertEquals(4 << 20, completed.size() * data.length);
        receive(-1, 0, 1, data);
        send(-2, 0, 1, data);
        assertEquals(List.of(-1, -2), completed.subList(completed.size() - 2, completed.size()));
    }

    @Test
    void shouldReportALongerMessageAsTruncated() {
        final byte[] target = new byte[2];
        final Receive receive = receive(1, 0, 1, target);
        send(2, 0, 1, (byte) 1, (byte) 2, (byte) 3);
        assertEquals(ErrorClass.TRUNCATE, receive.failure().errorClass());
        assertEquals("message truncated: bytes=3, capacity=2, source=0, tag=1", receive.failure().getMessage());
        assertArrayEquals(new byte[] {1, 2}, target);
        assertEquals(List.of(1, 2), completed);
    }

    @Test
    void shouldCancelWhatIsNotMatched() {
        final Receive receive = receive(1, 0, 1, new byte[1]);
        mailbox.submit(new CancelItem(receive));
        assertTrue(receive.isCancelled());
        final Send send = send(2, CONTEXT, 0, 1, true, (byte) 1);
        mailbox.submit(new CancelItem(send));
        assertTrue(send.isCancelled());
        final Receive matched = receive(3, 0, 1, new byte[1]);
        final Send sent = send(4, 0, 1, (byte) 1);
        mailbox.submit(new CancelItem(matched));
        mailbox.submit(new CancelItem(sent));
        assertFalse(matched.isCancelled() || sent.isCancelled());
        assertEquals(List.of(1, 2, 3, 4), completed);
    }

    private Probe probe(final int token, final boolean once, final boolean matching) {
        final Probe probe = new Probe(CONTEXT, Receive.ANY, 1, once, matching);
        probe.arm(op -> completed.add(op.token()), null, token);
        mailbox.submit(probe);
        return probe;
    }

    @Test
    void shouldProbeOnceOrUntilAMessageArrives() {
        assertFalse(probe(1, true, false).isFound());
        final Probe waiting = probe(2, false, false);
        send(3, 5, 1, new byte[3]);
        assertTrue(waiting.isFound());
        assertEquals(5, waiting.fromSource());
        assertEquals(3, waiting.length());
        assertTrue(probe(4, true, false).isFound());
        assertEquals(List.of(1, 2, 3, 4), completed);
    }

    @Test
    void shouldTakeAMessageByMatchedProbeForOneReceive() {
        final Send send = send(1, CONTEXT, 0, 1, true, (byte) 9);
        final Probe taking = probe(2, true, true);
        assertFalse(probe(3, true, true).isFound(), "the message is taken");
        mailbox.submit(new CancelItem(send));
        assertFalse(send.isCancelled());
        final byte[] target = new byte[1];
        final Receive receive = prepared(4, 0, 0, target);
        receive.want(taking.message());
        mailbox.submit(receive);
        assertEquals(9, target[0]);
        assertEquals(List.of(2, 3, 4, 1), completed);
        final IllegalStateException again = assertThrows(IllegalStateException.class, () -> mailbox.deliver(taking.message(), receive));
        assertEquals("message was already received, or discarded at Finalize", again.getMessage());
    }

    @Test
    void shouldDiscardMessagesThatMatchedProbesTook() {
        send(1, CONTEXT, 0, 1, true, (byte) 1);
        send(2, CONTEXT, 0, 1, true, (byte) 2);
        probe(3, true, true);
        probe(4, true, true);
        mailbox.submit(new MatchedMessagePurge());
        assertEquals(List.of(3, 4, 2, 1), completed);
    }

    @Test
    void shouldPurgeAContextAndWaitForItsReceives() {
        send(1, CONTEXT, 0, 1, true, (byte) 1);
        send(2, CONTEXT + 8, 0, 1, true, (byte) 1);
        final Receive receive = receive(3, 0, 2, new byte[1]);
        mailbox.submit(new ContextPurge(CONTEXT, CONTEXT + 8, () -> completed.add(-1)));
        assertEquals(List.of(1), completed);
        mailbox.submit(new CancelItem(receive));
        assertEquals(List.of(1, -1, 3), completed);
    }

    @Test
    void shouldDiscardMessagesOfAnAbandonedCallUntilItsContextIsPurged() {
        final long call = 3;
        final long tag = call << Integer.SIZE;
        send(1, CONTEXT, 0, tag, true, (byte) 1);
        mailbox.abandon(CONTEXT, call);
        send(2, CONTEXT, 0, tag + 1, true, (byte) 1);
        send(3, CONTEXT, 0, tag + (1L << Integer.SIZE), true, (byte) 1);
        assertEquals(List.of(1, 2), completed);
        mailbox.submit(new ContextPurge(CONTEXT, CONTEXT + 1));
        send(4, CONTEXT, 0, tag, true, (byte) 1);
        assertEquals(List.of(1, 2, 3), completed);
    }

    private Send sendOfCall(final int token, final long call, final long tag) {
        final Send send = new Send();
        send.arm(op -> completed.add(op.token()), null, token);
        send.envelope(CONTEXT, 5, tag, 0);
        send.ofCall(call);
        send.message(MemorySegment.NULL, 0, 0, true);
        mailbox.submit(send);
        return send;
    }

    @Test
    void shouldCompleteAReceiveWhoseSenderIsInAnotherCall() {
        final long sequence = 2L << Integer.SIZE;
        final Receive early = prepared(1, 5, sequence, new byte[0]);
        early.ofCall(71);
        mailbox.submit(early);
        sendOfCall(2, 72, sequence + 1);
        assertEquals(72, early.otherCall());
        sendOfCall(3, 73, sequence + 2);
        final Receive late = prepared(4, 5, sequence, new byte[0]);
        late.ofCall(71);
        mailbox.submit(late);
        assertEquals(73, late.otherCall());
        assertEquals(List.of(2, 1, 3, 4).stream().sorted().toList(), completed.stream().sorted().toList());
        assertNull(late.failure());
    }

    @Test
    void shouldMarkDataOfAFailedSenderAsInvalid() {
        final Receive receive = prepared(1, 5, 1, new byte[0]);
        receive.ofCall(71);
        mailbox.submit(receive);
        sendOfCall(2, 71 | IncomingMessage.INVALID, 1);
        assertTrue(receive.isInvalid());
        assertEquals(0, receive.otherCall());
    }

    @Test
    void shouldReleaseCopiesOfOtherNodesToTheirCredit() {
        final List<Long> released = new ArrayList<>();
        final Send message = new Send();
        message.envelope(CONTEXT, 0, 1, 2);
        final UnexpectedMessage copy = mailbox.copy(message, MemorySegment.ofArray(new byte[] {8, 9}), 0, released::add);
        mailbox.arrived(copy);
        final byte[] target = new byte[2];
        receive(1, 0, 1, target);
        assertArrayEquals(new byte[] {8, 9}, target);
        assertEquals(List.of(2L), released);
    }
}
