package tutti.runtime.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
}
