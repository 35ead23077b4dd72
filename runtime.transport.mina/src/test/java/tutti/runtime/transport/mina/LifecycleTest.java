package tutti.runtime.transport.mina;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;

@Timeout(120)
class LifecycleTest {
    private final LinkRecorder near = new LinkRecorder();
    private final LinkRecorder far = new LinkRecorder();

    @Test
    void shouldStartNoThreadBeforeItIsNeededAndLeaveNoneAfterClose() throws Exception {
        Set<Thread> before = own();
        MinaTransport unused = new MinaTransport();
        assertEquals(before, own());
        unused.close();
        Pair pair = Pair.of(TransportSettings.DEFAULT, far);
        Link link = pair.connect(near);
        assertTrue(LinkRecorder.send(link, "x"));
        assertEquals("x", far.text());
        Set<Thread> running = own();
        running.removeAll(before);
        assertEquals(List.of("tutti-accept-0", "tutti-io", "tutti-io"), running.stream().map(Thread::getName).sorted().toList());
        assertTrue(running.stream().allMatch(Thread::isDaemon));
        pair.close();
        assertTrue(running.stream().noneMatch(Thread::isAlive), running.toString());
        assertEquals(0, DirectMemory.inUse());
        pair.close();
        assertTrue(near.awaitClosed() && far.awaitClosed());
        assertNull(near.cause);
    }

    private static Set<Thread> own() {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("tutti-") && thread.isAlive())
            .collect(Collectors.toSet());
    }

    @Test
    void shouldNotKeepTheCallersContextClassLoader() throws Exception {
        ClassLoader mine = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader callers = new URLClassLoader(new URL[0])) {
            Thread.currentThread().setContextClassLoader(callers);
            try (Pair pair = Pair.of(TransportSettings.DEFAULT, far)) {
                Link link = pair.connect(near);
                LinkRecorder.send(link, "x");
                far.text();
                assertNotSame(callers, far.thread.getContextClassLoader());
                assertSame(MinaTransport.class.getClassLoader(), far.thread.getContextClassLoader());
                assertTrue(own().stream().noneMatch(thread -> thread.getContextClassLoader() == callers));
            }
        } finally {
            Thread.currentThread().setContextClassLoader(mine);
        }
    }

    @Test
    void shouldEndItsThreadAfterTheLastLinkAndStartAgain() throws Exception {
        try (Pair pair = Pair.of((link, hello) -> new LinkRecorder())) {
            pair.connect(near).close();
            assertTrue(near.awaitClosed());
            Thread first = near.thread;
            await().atMost(60, TimeUnit.SECONDS).until(() -> !first.isAlive());
            LinkRecorder again = new LinkRecorder();
            pair.connect(again).close();
            assertTrue(again.awaitClosed());
        }
    }

    @Test
    void shouldFlushItsLinksWhenItIsClosed() throws Exception {
        Pair pair = Pair.of(TransportSettings.DEFAULT, far);
        try {
            Link link = pair.connect(near);
            byte[] frame = LinkTest.pattern(40_000, 1);
            int taken = 0;
            while (taken < 40 && link.trySend(frame, frame.length, null, 0, 0)) {
                taken++;
            }
            pair.near.close();
            assertEquals(1, near.closings.get());
            assertNull(near.cause);
            assertTrue(far.awaitClosed());
            assertEquals(taken, far.frames.size());
        } finally {
            pair.close();
        }
    }

    @Test
    void shouldLeaveAcceptedLinksToTheEndOfItsProcess() throws Exception {
        MinaTransport server = new MinaTransport(TransportSettings.DEFAULT, () -> true);
        try (MinaTransport client = new MinaTransport()) {
            final InetSocketAddress address = server.listen(Pair.loopback(0), (link, hello) -> far).address();
            assertTrue(LinkRecorder.send(client.connect(address, new Hello("test", new byte[0]), near, Pair.LIMIT), "x"));
            assertEquals("x", far.text());
            server.close();
            assertTrue(far.awaitClosed());
            assertEquals(1, near.closed.getCount());
            for (final SocketChannel channel : LinkProcessor.OF_PROCESS) {
                channel.close();
            }
            LinkProcessor.OF_PROCESS.clear();
            assertTrue(near.awaitClosed());
        }
    }

    @Test
    void shouldRefuseToServeAfterClose() throws Exception {
        MinaTransport transport = new MinaTransport();
        transport.close();
        transport.close();
        IOException e = assertThrows(IOException.class, () -> transport.listen(Pair.loopback(0), (link, hello) -> far));
        assertEquals("transport is closed", e.getMessage());
    }

    @Test
    void shouldCloseFromAHandler() throws Exception {
        try (Pair pair = Pair.of(TransportSettings.DEFAULT, far)) {
            LinkRecorder closing = new LinkRecorder() {
                @Override
                protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                    pair.near.close();
                }
            };
            pair.connect(closing);
            await().atMost(60, TimeUnit.SECONDS).until(() -> LinkRecorder.send(far.link, "go"));
            assertTrue(closing.awaitClosed());
            assertNull(closing.cause);
            Thread io = closing.thread;
            await().atMost(60, TimeUnit.SECONDS).until(() -> !io.isAlive());
        }
    }

    @Tag("nightly")
    @Test
    void shouldNotHangWhenAHandlerBlocks() throws Exception {
        Pair pair = Pair.of(TransportSettings.DEFAULT, far);
        CountDownLatch release = new CountDownLatch(1);
        LinkRecorder blocking = new LinkRecorder() {
            @Override
            protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        pair.connect(blocking);
        LinkRecorder.send(far.link, "block");
        await().atMost(60, TimeUnit.SECONDS).until(() -> blocking.thread != null);
        pair.near.close();
        release.countDown();
        Thread io = blocking.thread;
        await().atMost(60, TimeUnit.SECONDS).until(() -> !io.isAlive());
        pair.close();
    }

    @Test
    void shouldReleaseTheMemoryOfClosedLinks() throws Exception {
        try (Pair pair = Pair.of((link, hello) -> new LinkRecorder())) {
            for (int i = 0; i < 300; i++) {
                LinkRecorder recorder = new LinkRecorder();
                Link link = pair.connect(recorder);
                recorder.send(link, new byte[40_000], null, 0, 0);
                link.close();
                assertTrue(recorder.awaitClosed());
            }
            await().atMost(60, TimeUnit.SECONDS).until(() -> DirectMemory.inUse() == 0);
        }
    }
}
