package tutti.runtime.match;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of {@link PairQueue}: which messages are left in a queue, and that they match in the order in which they were sent. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PairQueueTest {
    private static final int CONTEXT = 4;
    private static final int SOURCE = 3;

    private final Mailbox mailbox = new Mailbox(true);
    private final OutgoingQueues outgoing = new OutgoingQueues(new Mailbox(true));

    private QueueWriter openQueue() {
        final QueueWriter queue = outgoing.to(mailbox);
        mailbox.pollQueues();
        return queue;
    }

    private static Send message(final long tag, final byte... data) {
        final Send send = new Send();
        send.arm(op -> {}, null, 0);
        send.envelope(CONTEXT, SOURCE, tag, data.length);
        send.message(MemorySegment.ofArray(data), 0, 0, false);
        return send;
    }

    private void bypass(final QueueWriter queue, final Send send) {
        send.bypass(queue);
        mailbox.submit(send);
    }

    private Receive receive(final int source, final long tag, final byte[] target) {
        final Receive receive = new Receive();
        receive.arm(op -> {}, null, 0);
        receive.want(CONTEXT, source, tag);
        receive.into(MemorySegment.ofArray(target), 0, target.length);
        mailbox.submit(receive);
        while (mailbox.pollQueues()) {
            // a poll takes one message of each queue
        }
        return receive;
    }

    private byte[] next() {
        final byte[] target = new byte[PairQueue.MAX_BYTES];
        return Arrays.copyOf(target, (int) receive(SOURCE, Receive.ANY, target).received());
    }

    private static byte[] data(final int bytes) {
        final byte[] data = new byte[bytes];
        new Random(bytes).nextBytes(data);
        return data;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 40, 41, 64, 1000, 1024})
    void shouldCarryEnvelopeAndDataOfAnyLength(final int bytes) {
        final QueueWriter queue = openQueue();
        for (int i = 0; i < 3 * PairQueue.SLOTS; i++) {
            assertTrue(queue.offer(message(1L << 40 | i, data(bytes))));
            final byte[] target = new byte[bytes];
            final Receive received = receive(Receive.ANY, Receive.ANY, target);
            assertArrayEquals(data(bytes), target);
            assertEquals(bytes, received.received());
            assertEquals(1L << 40 | i, received.withTag());
            assertEquals(SOURCE, received.fromSource());
        }
    }

    @Test
    void shouldTakeMessagesOnlyWhenTheReceiverHasPolled() {
        final QueueWriter queue = outgoing.to(mailbox);
        assertFalse(queue.offer(message(1)));
        mailbox.pollQueues();
        assertTrue(queue.offer(message(1)));
    }

    @Test
    void shouldRefuseALongMessageAndOneTooMany() {
        final QueueWriter queue = openQueue();
        assertFalse(queue.offer(message(1, data(PairQueue.MAX_BYTES + 1))));
        for (int i = 0; i < PairQueue.SLOTS; i++) {
            assertTrue(queue.offer(message(i)));
        }
        assertFalse(queue.offer(message(99)));
        assertTrue(mailbox.pollQueues());
        assertTrue(queue.offer(message(100)));
    }

    @Test
    void shouldRefuseMessagesOfAnotherThread() {
        final QueueWriter queue = openQueue();
        assertFalse(CompletableFuture.supplyAsync(() -> queue.offer(message(1))).join());
    }

    @Test
    void shouldMatchMessagesInTheQueueBeforeOneThatBypassesIt() {
        final QueueWriter queue = openQueue();
        assertTrue(queue.offer(message(1, (byte) 1)));
        assertTrue(queue.offer(message(1, (byte) 2)));
        bypass(queue, message(1, (byte) 3));
        assertTrue(queue.offer(message(1, (byte) 4)));
        for (byte i = 1; i <= 4; i++) {
            assertArrayEquals(new byte[] {i}, next());
        }
    }

    @Test
    void shouldRefuseMessagesUntilThoseThatBypassTheQueueHaveArrived() {
        final QueueWriter queue = openQueue();
        final Send late = message(1, (byte) 1);
        late.bypass(queue);
        assertFalse(queue.offer(message(1, (byte) 2)));
        mailbox.submit(late);
        assertTrue(queue.offer(message(1, (byte) 2)));
        assertArrayEquals(new byte[] {1}, next());
        assertArrayEquals(new byte[] {2}, next());
    }

    @Test
    void shouldMatchWhatIsInTheQueueWhenAThreadParksAndRefuseMessagesMeanwhile() {
        final QueueWriter queue = openQueue();
        final List<Long> received = new ArrayList<>();
        final Receive receive = new Receive();
        receive.arm(op -> received.add(receive.withTag()), null, 0);
        receive.want(CONTEXT, SOURCE, Receive.ANY);
        receive.into(MemorySegment.NULL, 0, 0);
        mailbox.submit(receive);
        assertTrue(queue.offer(message(7)));
        mailbox.parking();
        assertEquals(List.of(7L), received);
        assertFalse(queue.offer(message(8)));
        mailbox.unparked();
        assertTrue(queue.offer(message(9)));
    }

    @Test
    void shouldRefuseMessagesWhileTooManyWaitForAReceive() {
        final QueueWriter queue = openQueue();
        int sent = 0;
        while (queue.offer(message(1, data(PairQueue.MAX_BYTES)))) {
            mailbox.pollQueues();
            sent++;
            assertTrue(sent < 1 << 20, "never refused");
        }
        for (int i = 0; i < sent; i++) {
            assertEquals(PairQueue.MAX_BYTES, next().length);
        }
        assertTrue(queue.offer(message(1)));
    }

    @Test
    void shouldFindMessagesInTheQueueByAProbe() {
        final QueueWriter queue = openQueue();
        assertTrue(queue.offer(message(5, (byte) 1)));
        final Probe probe = new Probe(CONTEXT, SOURCE, Receive.ANY, true);
        probe.arm(op -> {}, null, 0);
        mailbox.submit(probe);
        assertTrue(probe.isFound());
    }

    @Test
    void shouldPurgeMessagesInTheQueueOfAContext() {
        final QueueWriter queue = openQueue();
        assertTrue(queue.offer(message(5, (byte) 1)));
        mailbox.submit(new ContextPurge(CONTEXT, CONTEXT + 1));
        assertTrue(queue.offer(message(5, (byte) 2)));
        assertArrayEquals(new byte[] {2}, next());
    }

    @Test
    void shouldHaveOneQueueToAMailboxAndNoneWhereNoneMayBe() {
        assertSame(outgoing.to(mailbox), outgoing.to(mailbox));
        assertNull(outgoing.to(new Mailbox()));
        final Mailbox own = new Mailbox(true);
        assertNull(new OutgoingQueues(own).to(own));
    }

    @Test
    void shouldLeaveQueuesClosedThatAreTooMany() {
        final long open = IntStream.range(0, 40).filter(i -> {
            final QueueWriter queue = new OutgoingQueues(new Mailbox(true)).to(mailbox);
            mailbox.pollQueues();
            return queue.offer(message(1));
        }).count();
        assertEquals(16, open);
        assertEquals(16, IntStream.range(0, 40).filter(i -> outgoing.to(new Mailbox(true)) != null).count());
    }

    @Test
    void shouldKeepTheOrderWhileBothSidesRun() throws Exception {
        final int messages = 200_000;
        final CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
            final QueueWriter queue = outgoing.to(mailbox);
            for (int i = 0; i < messages; i++) {
                final Send send = message(i, (byte) i);
                if (i % 1000 == 0 || !queue.offer(send)) {
                    bypass(queue, send);
                }
            }
        });
        for (int i = 0; i < messages; i++) {
            final byte[] target = new byte[1];
            final CompletableFuture<Void> received = new CompletableFuture<>();
            final Receive receive = new Receive();
            receive.arm(op -> received.complete(null), null, 0);
            receive.want(CONTEXT, SOURCE, Receive.ANY);
            receive.into(MemorySegment.ofArray(target), 0, 1);
            mailbox.submit(receive);
            for (int tries = 0; !received.isDone(); tries++) {
                mailbox.pollQueues();
                if (tries == 1000) {
                    mailbox.parking();
                    received.get(60, TimeUnit.SECONDS);
                    mailbox.unparked();
                }
            }
            assertEquals(i, receive.withTag());
            assertEquals((byte) i, target[0]);
        }
        sender.get(60, TimeUnit.SECONDS);
    }
}
