package tutti.runtime.transport.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.transport.AccessRecorder;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;
import tutti.runtime.transport.Listener;

/** Tests what remains of transports and of processes that end, and where a transport can be used. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LifecycleTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Hello HELLO = new Hello("test", new byte[0]);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;
    private ShmTransport transport;

    @BeforeEach
    void open() {
        transport = new ShmTransport(ShmSettings.of(folder));
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    private static long ioThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().equals(IoLoop.NAME)).count();
    }

    /** Returns what of this process is open or mapped in the folder. */
    private List<String> openFiles() throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.filter(m -> m.contains(folder.toString())).toList();
        }
    }

    @Test
    void shouldEndItsThreadWithTheLastLinkAndStartItAgain() throws Exception {
        for (int round = 0; round < 3; round++) {
            final LinkRecorder near = new LinkRecorder();
            final LinkRecorder far = new LinkRecorder();
            final Listener listener = transport.listen(ANY, (link, hello) -> far);
            final Link link = transport.connect(listener.address(), HELLO, near, LIMIT);
            assertTrue(LinkRecorder.send(link, "hello"));
            assertEquals("hello", far.text());
            assertEquals(1, ioThreads());
            listener.close();
            assertEquals(List.of(), files());
            link.close();
            assertTrue(near.awaitClosed() && far.awaitClosed());
            await().untilAsserted(() -> assertEquals(0, ioThreads()));
            assertEquals(List.of(), openFiles());
        }
    }

    @Test
    void shouldLeaveNothingAndOpenNothingAfterItWasClosed() throws Exception {
        final LinkRecorder near = new LinkRecorder();
        final LinkRecorder far = new LinkRecorder();
        final Listener listener = transport.listen(ANY, (link, hello) -> far);
        transport.connect(listener.address(), HELLO, near, LIMIT);
        transport.close();
        transport.close();
        assertEquals(0, ioThreads());
        assertEquals(1, near.closings.get());
        assertEquals(1, far.closings.get());
        assertEquals(List.of(), files());
        assertThrows(IOException.class, () -> transport.listen(ANY, (link, hello) -> far));
        assertThrows(IOException.class, () -> transport.connect(listener.address(), HELLO, near, LIMIT));
        assertEquals(List.of(), files());
    }

    @Test
    void shouldNotDisturbAThreadThatSendsWhileTheLinkCloses() throws Exception {
        try (Listener listener = transport.listen(ANY, (link, hello) -> new LinkRecorder())) {
            for (int round = 0; round < 100; round++) {
                final LinkRecorder near = new LinkRecorder();
                final Link link = transport.connect(listener.address(), HELLO, near, LIMIT);
                final byte[] frame = new byte[link.maxFrame()];
                for (int i = 0; near.closings.get() == 0; i++) {
                    link.trySend(frame, frame.length, null, 0, 0);
                    if (i == round % 20) {
                        link.close();
                    }
                }
                assertNull(near.cause);
                for (int i = 0; i < 100; i++) {
                    assertTrue(link.trySend(frame, frame.length, null, 0, 0));
                }
                assertFalse(link.poll());
            }
        }
    }

    @Test
    void shouldSayWhatProcessesMustShare() throws Exception {
        assertEquals(transport.reach(), new ShmTransport(ShmSettings.of(folder)).reach());
        assertTrue(transport.reach().startsWith(Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip() + ":"));
        assertTrue(transport.isWithinHost());
        final Path none = folder.resolve("none");
        final String message = assertThrows(IOException.class, () -> new ShmTransport(ShmSettings.of(none)).reach()).getMessage();
        assertEquals("transport shm needs a folder that this user can write: folder=" + none + "; mount a tmpfs there; use transport tcp instead",
            message);
    }

    @Test
    void shouldRemoveOnlyWhatNobodyUses() throws Exception {
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(folder.resolve("tutti-1234")));
        }
        Files.createFile(folder.resolve("tutti-1234.0123456789abcdef"));
        Files.createFile(folder.resolve("tutti-2345.0123456789abcdef"));
        final List<String> kept = List.of("other", "tutti-3456", "tutti-job", "tutti-x.0123456789abcdef");
        for (final String name : kept) {
            Files.createFile(folder.resolve(name));
        }
        try (Listener listener = transport.listen(ANY, (link, hello) -> new LinkRecorder())) {
            transport.removeRemains();
            assertEquals(Stream.concat(kept.stream(), Stream.of("tutti-" + listener.address().getPort())).sorted().toList(), files());
        }
        assertEquals(kept, files());
    }

    @Test
    void shouldDeliverWhatAProcessSentBeforeItWasKilled() throws Exception {
        final CountDownLatch go = new CountDownLatch(1);
        final LinkRecorder slow = new LinkRecorder() {
            @Override
            protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                try {
                    assertTrue(go.await(50, TimeUnit.SECONDS));
                } catch (final InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                super.received(from, memory, offset, bytes);
            }
        };
        try (Listener listener = transport.listen(ANY, (link, hello) -> {
            slow.link = link;
            return slow;
        }); PeerProcess peer = PeerProcess.connect(folder, listener.address().getPort())) {
            peer.awaitLine("sent");
            peer.kill();
            go.countDown();
            for (int i = 0; i < PeerProcess.FRAMES; i++) {
                assertArrayEquals(PeerProcess.frame(i), slow.frames.poll(60, TimeUnit.SECONDS));
            }
            assertTrue(slow.awaitClosed());
            assertTrue(slow.cause.getMessage().contains("process has ended"), slow.cause::toString);
            assertEquals(List.of("tutti-" + listener.address().getPort()), files());
        }
        assertEquals(List.of(), files());
    }

    @Test
    void shouldReportTheEndOfAKilledListenerAndRemoveItsFiles() throws Exception {
        final LinkRecorder near = new LinkRecorder();
        try (PeerProcess peer = PeerProcess.listen(folder)) {
            final int port = Integer.parseInt(peer.awaitLine("port ").substring(5));
            final Link link = transport.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), HELLO, near, LIMIT);
            assertTrue(LinkRecorder.send(link, "echo"));
            assertEquals("echo", near.text());
            final byte[] key = near.frames.poll(60, TimeUnit.SECONDS);
            final BulkAccess bulk = link.bulk();
            final AccessRecorder end = new AccessRecorder();
            final MemorySegment local = Arena.ofAuto().allocate(PeerProcess.EXPOSED);
            final BulkAccess.PeerMemory memory = bulk == null ? null : bulk.open(MemorySegment.ofArray(key), 0, key.length);
            if (memory != null) {
                memory.get(0, local, 0, PeerProcess.EXPOSED, end);
                assertNull(end.failure);
                assertEquals(7, local.get(ValueLayout.JAVA_BYTE, PeerProcess.EXPOSED - 1));
            }
            peer.kill();
            if (memory != null) {
                memory.get(0, local, 0, PeerProcess.EXPOSED, end);
                assertNotNull(end.failure);
                assertEquals(2, end.ended.get());
            }
            assertTrue(near.awaitClosed());
            assertTrue(near.cause.getMessage().contains("process has ended"), near.cause::toString);
        }
        assertEquals(1, files().size());
        transport.removeRemains();
        assertEquals(List.of(), files());
    }
}
