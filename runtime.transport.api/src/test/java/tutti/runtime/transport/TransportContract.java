package tutti.runtime.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of a transport: what {@link Transport}, {@link Link} and {@link LinkHandler} say, as tests. A transport is tested by a class that
 * extends this one and opens the transport.
 *
 * <p>Each test opens two transports, as in two processes, and connects from one to the other.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class TransportContract {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final byte[] NONE = new byte[0];
    /** Lengths of accesses to the peer's memory. */
    private static final int[] BULK_BYTES = {1, 7, 64, 4_095, 65_537, 300_000, (3 << 20) + 1};
    private static final Hello HELLO = new Hello("test", NONE);

    /** Handler of the links that connect. */
    private final LinkRecorder near = new LinkRecorder();
    /** Handler of the links that are accepted. */
    private final LinkRecorder far = new LinkRecorder();
    private Transport connecting;
    private Transport listening;

    /** Opens a transport. It is closed with {@link #close}. */
    protected abstract Transport open() throws Exception;

    /** Closes a transport. */
    protected abstract void close(Transport transport);

    /** Returns the transport to connect from to a listener of {@code other}: another one, unless links stay within one transport. */
    protected Transport openOther(final Transport other) throws Exception {
        return open();
    }

    /** Returns the address to listen on: any free port of loopback. */
    protected InetSocketAddress anyAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @BeforeEach
    void openTransports() throws Exception {
        listening = open();
        connecting = openOther(listening);
    }

    @AfterEach
    void closeTransports() {
        close(connecting);
        close(listening);
    }

    private Listener listen(final LinkHandler handler) throws IOException {
        return listen((link, hello) -> handler);
    }

    private Listener listen(final LinkAcceptor acceptor) throws IOException {
        return listening.listen(anyAddress(), acceptor);
    }

    private Listener listenFar() throws IOException {
        return listen((link, hello) -> {
            far.link = link;
            return far;
        });
    }

    private Link connect(final Listener listener, final LinkRecorder recorder) throws IOException {
        final Link link = connecting.connect(listener.address(), HELLO, recorder, LIMIT);
        recorder.link = link;
        return link;
    }

    private static byte[] pattern(final int bytes, final int seed) {
        final byte[] pattern = new byte[bytes];
        new Random(seed).nextBytes(pattern);
        return pattern;
    }

    private static void assertKept(final LinkRecorder... recorders) {
        for (final LinkRecorder r : recorders) {
            assertEquals(0, r.breaches.get());
            assertTrue(r.closings.get() <= 1);
        }
    }

    @Test
    void shouldCarryFramesOfEveryLengthWholeOnceAndInOrder() throws Exception {
        try (Listener listener = listenFar(); Arena arena = Arena.ofConfined()) {
            final Link link = connect(listener, near);
            assertTrue(link.maxFrame() >= 32 << 10);
            for (final int bytes : new int[] {1, 2, 3, 4, 47, 48, 49, 4_091, 4_096, 8_189, 32 << 10, link.maxFrame() - 1, link.maxFrame()}) {
                final byte[] frame = pattern(bytes, bytes);
                final byte[] next = pattern(bytes, bytes + 1);
                near.send(link, frame, null, 0, 0);
                near.send(link, NONE, MemorySegment.ofArray(next), 0, bytes);
                final MemorySegment outside = arena.allocate(bytes + 5);
                MemorySegment.copy(MemorySegment.ofArray(frame), 0, outside, 5, bytes);
                near.send(link, new byte[] {frame[0]}, outside, 6, bytes - 1);
                assertArrayEquals(frame, far.frames.poll(60, TimeUnit.SECONDS));
                assertArrayEquals(next, far.frames.poll(60, TimeUnit.SECONDS));
                assertArrayEquals(frame, far.frames.poll(60, TimeUnit.SECONDS));
            }
        }
        assertKept(near, far);
    }

    @Test
    void shouldCopyAFrameBeforeTheSendReturns() throws Exception {
        try (Listener listener = listenFar()) {
            final Link link = connect(listener, near);
            final byte[] header = new byte[1];
            final byte[] reused = new byte[30_000];
            for (int i = 0; i < 200; i++) {
                header[0] = (byte) ~i;
                Arrays.fill(reused, (byte) i);
                near.send(link, header, MemorySegment.ofArray(reused), 0, reused.length);
            }
            for (int i = 0; i < 200; i++) {
                final byte[] frame = far.frames.poll(60, TimeUnit.SECONDS);
                assertEquals((byte) ~i, frame[0]);
                assertEquals((byte) i, frame[1]);
                assertEquals((byte) i, frame[frame.length - 1]);
            }
        }
        assertKept(near, far);
    }

    @Test
    void shouldRefuseAFrameOfNoOrTooManyBytesAndContinue() throws Exception {
        try (Listener listener = listenFar()) {
            final Link link = connect(listener, near);
            final byte[] header = new byte[link.maxFrame() + 1];
            assertThrows(IllegalArgumentException.class, () -> link.trySend(header, header.length, null, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> link.trySend(header, 0, null, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> link.trySend(header, 1, MemorySegment.NULL, 0, Integer.MAX_VALUE));
            assertThrows(IllegalArgumentException.class, () -> link.trySend(header, -1, MemorySegment.NULL, 0, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> link.trySend(header, 1, MemorySegment.ofArray(new byte[9]), 2, 8));
            assertTrue(LinkRecorder.send(link, "unharmed"));
            assertEquals("unharmed", far.text());
        }
    }

    @Test
    void shouldSendBothWaysFromHandlers() throws Exception {
        final LinkRecorder echo = new LinkRecorder() {
            @Override
            protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                assertTrue(from.trySend(NONE, 0, memory, offset, bytes));
            }
        };
        try (Listener listener = listen(echo)) {
            final Link link = connect(listener, near);
            for (int i = 0; i < 1_000; i++) {
                assertTrue(LinkRecorder.send(link, "frame " + i));
                assertEquals("frame " + i, near.text());
            }
        }
        assertKept(near, echo);
    }

    /** Receives nothing until it is released. */
    private static final class Slow extends LinkRecorder {
        private final CountDownLatch go = new CountDownLatch(1);

        @Override
        protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
            try {
                if (!go.await(60, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("not released");
                }
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
            super.received(from, memory, offset, 1);
        }
    }

    @Test
    void shouldRefuseFramesWhileTheReceiverIsSlowAndThenSayThatItIsWritable() throws Exception {
        final Slow slow = new Slow();
        try (Listener listener = listen(slow)) {
            final Link link = connect(listener, near);
            final byte[] frame = new byte[30_000];
            int accepted = 0;
            // the buffers of a network grow for a while
            do {
                while (link.trySend(frame, frame.length, null, 0, 0)) {
                    accepted++;
                    assertTrue(accepted < 100_000, "buffers without bound");
                }
            } while (near.writable.tryAcquire(500, TimeUnit.MILLISECONDS));
            slow.go.countDown();
            for (int i = 0; i < accepted; i++) {
                assertNotNull(slow.frames.poll(60, TimeUnit.SECONDS));
            }
            assertTrue(near.writable.tryAcquire(60, TimeUnit.SECONDS));
            assertTrue(LinkRecorder.send(link, "x"));
            assertNotNull(slow.frames.poll(60, TimeUnit.SECONDS));
        }
        assertKept(near, slow);
    }

    @Test
    void shouldLoseNoFrameAndNoNotificationWhenBothSidesSendAtOnce() throws Exception {
        assertAllArrives(false);
    }

    @Test
    void shouldLoseNothingWhileThreadsPollNorWhenTheyStop() throws Exception {
        assertAllArrives(true);
    }

    /** Sends random frames in both directions at once; with {@code polls}, threads poll both ends now and then until all has arrived. */
    private void assertAllArrives(final boolean polls) throws Exception {
        final RandomFrames toNear = new RandomFrames(3);
        final RandomFrames toFar = new RandomFrames(4);
        try (Listener listener = listen((link, hello) -> {
            toFar.link = link;
            return toFar;
        })) {
            final Link link = connect(listener, toNear);
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final List<Thread> threads = new ArrayList<>();
            threads.add(RandomFrames.sender(link, toNear, 4, failure));
            threads.add(RandomFrames.sender(toFar.link, toFar, 3, failure));
            if (polls) {
                for (final RandomFrames end : List.of(toNear, toFar)) {
                    // one of them says when it stops, the other one does not
                    threads.add(end.poller(failure, true));
                    threads.add(end.poller(failure, false));
                }
            }
            for (final Thread thread : threads) {
                thread.join();
            }
            assertNull(failure.get());
            assertTrue(toNear.done.await(60, TimeUnit.SECONDS));
            assertTrue(toFar.done.await(60, TimeUnit.SECONDS));
            assertNull(toNear.wrong);
            assertNull(toFar.wrong);
        }
        assertKept(toNear, toFar);
    }

    @Test
    void shouldDeliverWithoutAPollAfterAThreadHasPolled() throws Exception {
        try (Listener listener = listenFar()) {
            final Link link = connect(listener, near);
            for (int i = 0; i < 200; i++) {
                far.wakeUpNeeded = false;
                assertTrue(LinkRecorder.send(link, "polled " + i));
                while (far.frames.isEmpty()) {
                    far.link.poll();
                }
                assertEquals("polled " + i, far.text());
                far.wakeUpNeeded = true;
                if (i % 2 == 0) {
                    far.link.serve();
                }
                assertTrue(LinkRecorder.send(link, "served " + i));
                assertEquals("served " + i, far.text());
            }
        }
        assertKept(near, far);
    }

    @Test
    void shouldReportTheEndOfALinkThatIsPolled() throws Exception {
        try (Listener listener = listenFar()) {
            connect(listener, near);
            assertTrue(LinkRecorder.send(near.link, "last"));
            far.wakeUpNeeded = false;
            while (far.frames.isEmpty()) {
                far.link.poll();
            }
            near.link.close();
            while (far.closings.get() == 0) {
                far.link.poll();
            }
            assertTrue(far.awaitClosed());
            assertTrue(near.awaitClosed());
            assertFalse(far.link.poll());
            far.link.serve();
        }
        assertKept(near, far);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepTheInterruptStatusOfAThreadThatPollsOrSendsWhileTheLinkEnds(final boolean polls) throws Exception {
        for (int round = 0; round < 60; round++) {
            final LinkRecorder closing = new LinkRecorder();
            final LinkRecorder used = new LinkRecorder();
            try (Listener listener = listen(used)) {
                final Link link = connect(listener, closing);
                assertTrue(LinkRecorder.send(link, "first"));
                assertEquals("first", used.text());
                used.wakeUpNeeded = false;
                final byte[] frame = new byte[used.link.maxFrame()];
                (round % 2 == 0 ? link : used.link).close();
                final boolean interrupted = round % 10 == 9;
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                while (used.closings.get() == 0) {
                    if (polls) {
                        used.link.poll();
                    } else {
                        used.link.trySend(frame, frame.length, null, 0, 0);
                    }
                }
                assertEquals(interrupted, Thread.interrupted(), "round " + round);
                assertTrue(closing.awaitClosed());
            }
            assertKept(closing, used);
        }
    }

    /** Compares frames with those that random numbers of the same seed describe. */
    private static final class RandomFrames extends LinkRecorder {
        private static final int FRAMES = 20_000;
        /** A frame that every link carries. */
        private static final int LARGE = 32 << 10;

        private final CountDownLatch done = new CountDownLatch(1);
        private final SplittableRandom random;
        private volatile String wrong;
        private int count;

        RandomFrames(final long seed) {
            random = new SplittableRandom(seed);
        }

        static Thread sender(final Link link, final LinkRecorder recorder, final long seed, final AtomicReference<Throwable> failure) {
            return Thread.ofPlatform().start(() -> {
                final SplittableRandom random = new SplittableRandom(seed);
                try (Arena arena = Arena.ofConfined()) {
                    final MemorySegment outside = arena.allocate(LARGE);
                    for (int i = 0; i < FRAMES; i++) {
                        final byte[] frame = frame(random);
                        final int header = Math.min(frame.length, i % 40);
                        final MemorySegment payload = (i & 1) == 0 ? MemorySegment.ofArray(frame) : outside;
                        MemorySegment.copy(frame, 0, outside, ValueLayout.JAVA_BYTE, 0, frame.length);
                        recorder.send(link, Arrays.copyOf(frame, header), payload, header, frame.length - header);
                    }
                } catch (final Throwable e) {
                    failure.set(e);
                }
            });
        }

        Thread poller(final AtomicReference<Throwable> failure, final boolean tells) {
            return Thread.ofPlatform().start(() -> {
                try {
                    while (done.getCount() > 0 && failure.get() == null) {
                        wakeUpNeeded = false;
                        for (int i = 0; i < 1_000; i++) {
                            link.poll();
                        }
                        wakeUpNeeded = true;
                        if (tells) {
                            link.serve();
                        }
                        done.await(2, TimeUnit.MILLISECONDS);
                    }
                } catch (final Throwable e) {
                    failure.set(e);
                }
            });
        }

        private static byte[] frame(final SplittableRandom random) {
            final byte[] frame = new byte[1 + random.nextInt(switch (random.nextInt(20)) {
                case 0 -> LARGE;
                case 1, 2, 3 -> LARGE / 2;
                default -> 200;
            })];
            random.nextBytes(frame);
            return frame;
        }

        @Override
        protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
            if (wrong == null && !Arrays.equals(frame(random), memory.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE))) {
                wrong = "frame " + count + " differs";
            }
            count++;
            if (count == FRAMES) {
                done.countDown();
            }
        }
    }

    @Test
    void shouldSendAcceptedFramesBeforeItClosesAndDropLaterOnes() throws Exception {
        for (int round = 0; round < 20; round++) {
            final LinkRecorder sender = new LinkRecorder();
            final LinkRecorder receiver = new LinkRecorder();
            try (Listener listener = listen(receiver)) {
                final Link link = connect(listener, sender);
                final byte[] frame = pattern(30_000, round);
                int accepted = 0;
                while (accepted < 30 && link.trySend(frame, frame.length, null, 0, 0)) {
                    accepted++;
                }
                link.close();
                link.close();
                for (int i = 0; i < accepted; i++) {
                    assertArrayEquals(frame, receiver.frames.poll(60, TimeUnit.SECONDS));
                }
                assertTrue(sender.awaitClosed());
                assertNull(sender.cause, "this side closed the link");
                assertTrue(receiver.awaitClosed());
                assertNotNull(receiver.cause);
                assertTrue(link.trySend(frame, frame.length, null, 0, 0), "a closed link drops frames");
            }
            assertKept(sender, receiver);
        }
    }

    @Test
    void shouldCloseOnceWhenBothSidesCloseAtOnce() throws Exception {
        try (Listener listener = listenFar()) {
            final Link link = connect(listener, near);
            assertTrue(LinkRecorder.send(link, "x"));
            assertEquals("x", far.text());
            far.link.close();
            link.close();
            assertTrue(near.awaitClosed());
            assertTrue(far.awaitClosed());
        }
        assertKept(near, far);
    }

    @Test
    void shouldDeliverNothingAfterItsHandlerClosedTheLink() throws Exception {
        final AtomicInteger received = new AtomicInteger();
        final LinkRecorder closing = new LinkRecorder() {
            @Override
            protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                received.incrementAndGet();
                from.close();
            }
        };
        try (Listener listener = listen(closing)) {
            final Link link = connect(listener, near);
            for (int i = 0; i < 1_000; i++) {
                near.send(link, new byte[100], null, 0, 0);
            }
            assertTrue(closing.awaitClosed());
            assertNull(closing.cause);
            assertTrue(near.awaitClosed());
        }
        assertEquals(1, received.get());
        assertKept(near, closing);
    }

    @Test
    void shouldCloseTheLinkWhenAHandlerThrows() throws Exception {
        final IllegalStateException failure = new IllegalStateException("unknown frame");
        final LinkRecorder failing = new LinkRecorder() {
            @Override
            protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                throw failure;
            }
        };
        try (Listener listener = listen(failing)) {
            final Link link = connect(listener, near);
            assertTrue(LinkRecorder.send(link, "x"));
            assertTrue(failing.awaitClosed());
            assertSame(failure, failing.cause);
            assertTrue(near.awaitClosed());
        }
        assertKept(near, failing);
    }

    @Test
    void shouldServeOtherLinksWhenAHandlerThrowsAnErrorAndInterruptsItsThread() throws Exception {
        final LinkRecorder rude = new LinkRecorder() {
            @Override
            protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                Thread.currentThread().interrupt();
                throw new NoClassDefFoundError("gone");
            }

            @Override
            public void closed(final Link gone, final Throwable why) {
                super.closed(gone, why);
                throw new IllegalStateException("no");
            }
        };
        try (Listener listener = listen((link, hello) -> hello.payload().length == 0 ? rude : far)) {
            assertTrue(LinkRecorder.send(connect(listener, near), "x"));
            assertTrue(rude.awaitClosed());
            assertEquals(NoClassDefFoundError.class, rude.cause.getClass());
            final Link link = connecting.connect(listener.address(), new Hello("test", new byte[1]), new LinkRecorder(), LIMIT);
            assertTrue(LinkRecorder.send(link, "still served"));
            assertEquals("still served", far.text());
        }
    }

    @Test
    void shouldPassTheHelloToTheAcceptor() throws Exception {
        final BlockingQueue<Hello> hellos = new ArrayBlockingQueue<>(1);
        final Hello sent = new Hello("p".repeat(32), pattern(Hello.MAX_PAYLOAD, 1));
        try (Listener listener = listen((link, hello) -> {
            hellos.add(hello);
            return far;
        })) {
            final Link link = connecting.connect(listener.address(), sent, near, LIMIT);
            final Hello hello = hellos.take();
            assertEquals(sent.purpose(), hello.purpose());
            assertArrayEquals(sent.payload(), hello.payload());
            assertFalse(link.peer().isEmpty());
        }
    }

    @Test
    void shouldReportTheReasonOfARefusalAndServeTheNext() throws Exception {
        final AtomicInteger calls = new AtomicInteger();
        try (Listener listener = listen((link, hello) -> {
            switch (calls.getAndIncrement()) {
                case 0 -> throw new RefusedException("job 7 is unknown here");
                case 1 -> throw new IllegalStateException("out of order");
                case 2 -> throw new NoClassDefFoundError("gone");
                case 3 -> {
                    return null;
                }
                default -> {
                    return far;
                }
            }
        })) {
            assertEquals("job 7 is unknown here", assertThrows(RefusedException.class, () -> connect(listener, near)).getMessage());
            assertTrue(assertThrows(RefusedException.class, () -> connect(listener, near)).getMessage().contains("out of order"));
            assertThrows(RefusedException.class, () -> connect(listener, near));
            assertThrows(RefusedException.class, () -> connect(listener, near));
            assertEquals(0, near.closings.get());
            assertTrue(LinkRecorder.send(connect(listener, near), "still there"));
            assertEquals("still there", far.text());
        }
    }

    @Test
    void shouldRefuseSendsUntilTheLinkIsAccepted() throws Exception {
        final AtomicInteger early = new AtomicInteger();
        try (Listener listener = listen((link, hello) -> {
            early.set(LinkRecorder.send(link, "too early") ? 1 : 2);
            far.link = link;
            return far;
        })) {
            connect(listener, near);
            assertEquals(2, early.get());
            assertTrue(far.writable.tryAcquire(60, TimeUnit.SECONDS));
            assertTrue(LinkRecorder.send(far.link, "now"));
            assertEquals("now", near.text());
        }
    }

    @Test
    void shouldCloseALinkThatItsAcceptorClosed() throws Exception {
        try (Listener listener = listen((link, hello) -> {
            link.close();
            return far;
        })) {
            connect(listener, near);
            assertTrue(far.awaitClosed());
            assertNull(far.cause);
            assertTrue(near.awaitClosed());
            assertNotNull(near.cause);
        }
        assertKept(near, far);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 50})
    void shouldKeepLinksApartAndOpenWhenTheirListenerCloses(final int links) throws Exception {
        final LinkHandler echo = new LinkHandler() {
            @Override
            public void frame(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                assertTrue(from.trySend(NONE, 0, memory, offset, bytes));
            }

            @Override
            public void writable(final Link link) {
                // small frames only
            }

            @Override
            public void closed(final Link link, final Throwable cause) {
                // as the other side reports
            }
        };
        final List<LinkRecorder> recorders = new ArrayList<>();
        final Listener listener = listen(echo);
        for (int i = 0; i < links; i++) {
            recorders.add(new LinkRecorder());
            connect(listener, recorders.get(i));
        }
        listener.close();
        listener.close();
        for (int i = 0; i < links; i++) {
            assertTrue(LinkRecorder.send(recorders.get(i).link, "to " + i));
        }
        for (int i = 0; i < links; i++) {
            assertEquals("to " + i, recorders.get(i).text());
        }
        assertThrows(IOException.class, () -> connect(listener, near));
        close(listening);
        for (final LinkRecorder r : recorders) {
            assertTrue(r.awaitClosed(), "a transport that is closed closes its links");
        }
        assertKept(recorders.toArray(LinkRecorder[]::new));
    }

    /** Opens a link, and skips the test when it has no access to the peer's memory. Returns the access of the side that connects. */
    private BulkAccess openBulk(final Listener listener) throws IOException {
        final BulkAccess bulk = connect(listener, near).bulk();
        assertEquals(bulk == null, far.link.bulk() == null, "both ends have access or neither");
        assumeTrue(bulk != null, "this transport has no access to the memory of peers here");
        return bulk;
    }

    private BulkAccess.PeerMemory open(final BulkAccess.ExposedMemory memory) {
        final byte[] key = memory.key();
        assertTrue(key.length >= 1 && key.length <= BulkAccess.MAX_KEY, () -> "length of a key: " + key.length);
        final byte[] frame = new byte[key.length + 3];
        System.arraycopy(key, 0, frame, 3, key.length);
        return near.link.bulk().open(MemorySegment.ofArray(frame), 3, key.length);
    }

    private void assertAccessed(final AccessRecorder end, final int accesses) {
        end.await(near.link, accesses);
        assertNull(end.failure);
        assertEquals(accesses, end.ended.get());
    }

    @Test
    void shouldReadTheMemoryOfThePeer() throws Exception {
        try (Listener listener = listenFar(); Arena arena = Arena.ofShared()) {
            openBulk(listener);
            for (final int bytes : BULK_BYTES) {
                final byte[] pattern = pattern(bytes, bytes);
                final MemorySegment exposed = arena.allocate(bytes + 5);
                MemorySegment.copy(pattern, 0, exposed, ValueLayout.JAVA_BYTE, 5, bytes);
                for (final MemorySegment to : List.of(arena.allocate(bytes + 9), MemorySegment.ofArray(new byte[bytes + 9]))) {
                    try (BulkAccess.ExposedMemory memory = far.link.bulk().expose(exposed); BulkAccess.PeerMemory peer = open(memory)) {
                        assertEquals(bytes + 5, peer.bytes());
                        final AccessRecorder end = new AccessRecorder();
                        peer.get(5, to, 3, bytes, end);
                        assertAccessed(end, 1);
                        assertArrayEquals(pattern, to.asSlice(3, bytes).toArray(ValueLayout.JAVA_BYTE));
                        assertArrayEquals(new byte[6], to.asSlice(bytes + 3, 6).toArray(ValueLayout.JAVA_BYTE));
                        assertArrayEquals(new byte[3], to.asSlice(0, 3).toArray(ValueLayout.JAVA_BYTE));
                    }
                }
            }
        }
        assertKept(near, far);
    }

    @Test
    void shouldWriteTheMemoryOfThePeerAndNothingElse() throws Exception {
        try (Listener listener = listenFar(); Arena arena = Arena.ofShared()) {
            openBulk(listener);
            for (final int bytes : BULK_BYTES) {
                final byte[] pattern = pattern(bytes, bytes);
                final MemorySegment outside = arena.allocate(bytes + 1);
                MemorySegment.copy(pattern, 0, outside, ValueLayout.JAVA_BYTE, 1, bytes);
                final byte[] inside = new byte[bytes + 1];
                System.arraycopy(pattern, 0, inside, 1, bytes);
                for (final MemorySegment from : List.of(outside, MemorySegment.ofArray(inside))) {
                    final MemorySegment exposed = arena.allocate(bytes + 8);
                    try (BulkAccess.ExposedMemory memory = far.link.bulk().expose(exposed); BulkAccess.PeerMemory peer = open(memory)) {
                        final AccessRecorder end = new AccessRecorder();
                        peer.put(3, from, 1, bytes, end);
                        assertAccessed(end, 1);
                    }
                    assertArrayEquals(new byte[3], exposed.asSlice(0, 3).toArray(ValueLayout.JAVA_BYTE));
                    assertArrayEquals(pattern, exposed.asSlice(3, bytes).toArray(ValueLayout.JAVA_BYTE));
                    assertArrayEquals(new byte[5], exposed.asSlice(bytes + 3, 5).toArray(ValueLayout.JAVA_BYTE));
                }
            }
        }
        assertKept(near, far);
    }

    @Test
    void shouldRefuseToExposeMemoryThatIsOnTheHeapOrEmpty() throws Exception {
        try (Listener listener = listenFar(); Arena arena = Arena.ofConfined()) {
            final BulkAccess bulk = openBulk(listener);
            final MemorySegment heap = MemorySegment.ofArray(new byte[64]);
            final MemorySegment empty = arena.allocate(8).asSlice(0, 0);
            assertThrows(IllegalArgumentException.class, () -> bulk.expose(heap));
            assertThrows(IllegalArgumentException.class, () -> bulk.expose(empty));
        }
    }

    @Test
    void shouldRefuseWhatIsNoKeyOfThePeer() throws Exception {
        try (Listener listener = listenFar(); Arena arena = Arena.ofConfined()) {
            final BulkAccess bulk = openBulk(listener);
            try (BulkAccess.ExposedMemory memory = far.link.bulk().expose(arena.allocate(64))) {
                final MemorySegment key = MemorySegment.ofArray(memory.key());
                final MemorySegment zeros = MemorySegment.ofArray(new byte[memory.key().length]);
                assertThrows(IllegalArgumentException.class, () -> bulk.open(zeros, 0, (int) zeros.byteSize()));
                assertThrows(IllegalArgumentException.class, () -> bulk.open(key, 0, 1));
                open(memory).close();
            }
            assertTrue(LinkRecorder.send(near.link, "unharmed"));
            assertEquals("unharmed", far.text());
        }
    }

    @Test
    void shouldRefuseAccessOutsideOfEitherMemory() throws Exception {
        try (Listener listener = listenFar(); Arena arena = Arena.ofConfined()) {
            openBulk(listener);
            final MemorySegment local = MemorySegment.ofArray(new byte[32]);
            final AccessRecorder end = new AccessRecorder();
            try (BulkAccess.ExposedMemory memory = far.link.bulk().expose(arena.allocate(64)); BulkAccess.PeerMemory peer = open(memory)) {
                assertThrows(IndexOutOfBoundsException.class, () -> peer.get(64, local, 0, 1, end));
                assertThrows(IndexOutOfBoundsException.class, () -> peer.get(-1, local, 0, 1, end));
                assertThrows(IndexOutOfBoundsException.class, () -> peer.get(0, local, 1, 32, end));
                assertThrows(IndexOutOfBoundsException.class, () -> peer.put(40, local, 0, 25, end));
                assertThrows(IndexOutOfBoundsException.class, () -> peer.put(0, local, -1, 8, end));
                assertThrows(IndexOutOfBoundsException.class, () -> peer.put(Long.MAX_VALUE, local, 0, 8, end));
                assertEquals(0, end.ended.get());
                peer.get(32, local, 0, 32, end);
                assertAccessed(end, 1);
            }
        }
    }

    @Test
    void shouldDeliverAFrameAfterThePutThatItsSenderAwaited() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            final MemorySegment exposed = arena.allocate(100_000);
            final LinkRecorder reading = new LinkRecorder() {
                @Override
                protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                    final byte first = exposed.get(ValueLayout.JAVA_BYTE, 0);
                    frames.add(new byte[] {memory.get(ValueLayout.JAVA_BYTE, offset), first, exposed.get(ValueLayout.JAVA_BYTE, 99_999)});
                }
            };
            try (Listener listener = listen((link, hello) -> {
                far.link = link;
                return reading;
            })) {
                openBulk(listener);
                final byte[] sent = new byte[100_000];
                final AccessRecorder end = new AccessRecorder();
                try (BulkAccess.ExposedMemory memory = far.link.bulk().expose(exposed); BulkAccess.PeerMemory peer = open(memory)) {
                    for (int i = 1; i <= 300; i++) {
                        Arrays.fill(sent, (byte) i);
                        peer.put(0, MemorySegment.ofArray(sent), 0, sent.length, end);
                        assertAccessed(end, i);
                        near.send(near.link, new byte[] {(byte) i}, null, 0, 0);
                        assertArrayEquals(new byte[] {(byte) i, (byte) i, (byte) i}, reading.frames.poll(60, TimeUnit.SECONDS));
                    }
                }
            }
        }
    }

    @Test
    void shouldExposeAndOpenMemoryAgain() throws Exception {
        try (Listener listener = listenFar(); Arena arena = Arena.ofConfined()) {
            openBulk(listener);
            final MemorySegment exposed = arena.allocate(16);
            for (int i = 1; i <= 50; i++) {
                final BulkAccess.ExposedMemory memory = far.link.bulk().expose(exposed);
                final BulkAccess.PeerMemory peer = open(memory);
                final AccessRecorder end = new AccessRecorder();
                peer.put(15, MemorySegment.ofArray(new byte[] {(byte) i}), 0, 1, end);
                assertAccessed(end, 1);
                peer.close();
                peer.close();
                memory.close();
                memory.close();
                assertEquals((byte) i, exposed.get(ValueLayout.JAVA_BYTE, 15));
            }
        }
        assertKept(near, far);
    }

    @Test
    void shouldEndEachAccessOnceWhenThePeerClosesTheLink() throws Exception {
        try (Listener listener = listenFar(); Arena arena = Arena.ofShared()) {
            openBulk(listener);
            final MemorySegment exposed = arena.allocate(1 << 20);
            final MemorySegment local = arena.allocate(1 << 20);
            final AccessRecorder end = new AccessRecorder();
            try (BulkAccess.ExposedMemory memory = far.link.bulk().expose(exposed)) {
                final BulkAccess.PeerMemory peer = open(memory);
                int accesses = 0;
                while (end.failure == null) {
                    peer.get(0, local, 0, 1 << 20, end);
                    accesses++;
                    if (accesses == 10) {
                        far.link.close();
                    }
                    end.await(near.link, accesses);
                    assertEquals(accesses, end.ended.get());
                }
                assertTrue(near.awaitClosed());
                assertTrue(far.awaitClosed());
            }
        }
        assertKept(near, far);
    }

    @Test
    void shouldFailEachAccessAtOnceAfterTheLinkIsClosed() throws Exception {
        try (Listener listener = listenFar(); Arena arena = Arena.ofConfined()) {
            openBulk(listener);
            try (BulkAccess.ExposedMemory memory = far.link.bulk().expose(arena.allocate(64)); BulkAccess.PeerMemory peer = open(memory)) {
                near.link.close();
                assertTrue(near.awaitClosed());
                final MemorySegment local = MemorySegment.ofArray(new byte[64]);
                final AccessRecorder end = new AccessRecorder();
                peer.get(0, local, 0, 64, end);
                assertEquals(1, end.ended.get());
                assertNotNull(end.failure);
                peer.put(0, local, 0, 64, end);
                assertEquals(2, end.ended.get());
                assertNotNull(end.failure);
            }
        }
    }

    @Test
    void shouldDoAtomicOperationsInTheMemoryOfThePeerWhereItHasThem() throws Exception {
        try (Listener listener = listenFar(); Arena arena = Arena.ofShared()) {
            final BulkAccess bulk = openBulk(listener);
            assumeTrue(bulk.hasAtomics(4) || bulk.hasAtomics(8), "this transport has no atomic operations");
            final MemorySegment exposed = arena.allocate(64, 64);
            try (BulkAccess.ExposedMemory memory = far.link.bulk().expose(exposed); BulkAccess.PeerMemory peer = open(memory)) {
                for (final int bytes : new int[] {4, 8}) {
                    if (bulk.hasAtomics(bytes)) {
                        assertAtomic(peer, exposed, bytes);
                    }
                }
            }
        }
    }

    private void assertAtomic(final BulkAccess.PeerMemory peer, final MemorySegment exposed, final int bytes) {
        final AccessRecorder end = new AccessRecorder();
        exposed.fill((byte) 0);
        peer.add(16, bytes, 5, end);
        assertAccessed(end, 1);
        assertEquals(0, bytes == 4 ? (int) end.value : end.value);
        peer.add(16, bytes, -2, end);
        assertAccessed(end, 2);
        assertEquals(5, bytes == 4 ? (int) end.value : end.value);
        peer.swap(16, bytes, 40, end);
        assertAccessed(end, 3);
        assertEquals(3, bytes == 4 ? (int) end.value : end.value);
        peer.compareAndSwap(16, bytes, 3, 50, end);
        assertAccessed(end, 4);
        assertEquals(40, bytes == 4 ? (int) end.value : end.value);
        peer.compareAndSwap(16, bytes, 40, 60, end);
        assertAccessed(end, 5);
        assertEquals(40, bytes == 4 ? (int) end.value : end.value);
        assertEquals(60, bytes == 4 ? exposed.get(ValueLayout.JAVA_INT, 16) : exposed.get(ValueLayout.JAVA_LONG, 16));
        assertEquals(0, exposed.get(ValueLayout.JAVA_INT, 16 + bytes));
    }
}
