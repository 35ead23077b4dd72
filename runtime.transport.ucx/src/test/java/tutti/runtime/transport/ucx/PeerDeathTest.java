package tutti.runtime.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;

/**
 * Links to a process that stops or dies. UCX emulates the access to its memory, and may abort it when a link ends during an access: it is stopped
 * then, and does not go on before it is killed.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PeerDeathTest {
    private final LinkRecorder near = new LinkRecorder();
    private final Arena arena = Arena.ofShared();
    private final UcxTransport transport = new UcxTransport(true);
    private PeerProcess peer;
    private BulkAccess.PeerMemory memory;

    @BeforeEach
    void link() throws Exception {
        Libucp.assume();
        peer = PeerProcess.start();
        memory = open(near);
    }

    /** Links a handler to the process. Returns the memory of the process. */
    private BulkAccess.PeerMemory open(final LinkRecorder handler) throws Exception {
        handler.link = transport.connect(peer.address(), UcxPair.HELLO, handler, UcxPair.LIMIT);
        assertTrue(LinkRecorder.send(handler.link, "key?"));
        final byte[] key = handler.frames.poll(60, TimeUnit.SECONDS);
        assertNotNull(key);
        return UcxPair.open(handler, key);
    }

    @AfterEach
    void close() {
        if (peer != null) {
            peer.close();
        }
        transport.close();
        arena.close();
    }

    private List<UcxPair.Ended> accessAll() {
        final List<UcxPair.Ended> ends = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            ends.add(new UcxPair.Ended());
        }
        memory.get(0, arena.allocate(1 << 20), 0, 1 << 20, ends.get(0));
        memory.get(0, MemorySegment.ofArray(new byte[1 << 20]), 0, 1 << 20, ends.get(1));
        memory.put(0, arena.allocate(PeerProcess.BYTES), 0, PeerProcess.BYTES, ends.get(2));
        memory.put(0, MemorySegment.ofArray(new byte[1 << 20]), 0, 1 << 20, ends.get(3));
        memory.add(0, 8, 1, ends.get(4));
        memory.compareAndSwap(8, 4, 0, 1, ends.get(5));
        return ends;
    }

    @Test
    void shouldEndAccessesOnceBeforeTheLinkIsClosed() throws Exception {
        final int bytes = 1 << 20;
        final Set<String> told = new HashSet<>();
        final List<UcxPair.Ended> ends = Stream.generate(UcxPair.Ended::new).limit(50).toList();
        final LinkRecorder watcher = new LinkRecorder() {
            @Override
            public void closed(final Link gone, final Throwable why) {
                told.add(ends.stream().allMatch(UcxPair.Ended::isDone) ? "all ended" : "some did not end");
                super.closed(gone, why);
            }
        };
        final BulkAccess.PeerMemory other = open(watcher);
        peer.stop();
        for (int i = 0; i < ends.size(); i++) {
            other.put(0, (i & 1) == 0 ? MemorySegment.ofArray(new byte[bytes]) : arena.allocate(bytes), 0, bytes, ends.get(i));
        }
        watcher.link.close();
        assertTrue(watcher.awaitClosed());
        assertEquals(Set.of("all ended"), told);
        for (final UcxPair.Ended end : ends) {
            assertThrows(IOException.class, end::await);
        }
        final UcxPair.Ended late = new UcxPair.Ended();
        other.get(0, arena.allocate(8), 0, 8, late);
        assertTrue(late.isDone());
        assertThrows(IOException.class, late::await);
        other.close();
        assertThrows(IllegalStateException.class, () -> other.get(0, arena.allocate(1), 0, 1, new UcxPair.Ended()));
    }

    @Test
    void shouldCloseTheLinkAndFailItsAccessesWhenThePeerIsKilled() throws Exception {
        peer.stop();
        final List<UcxPair.Ended> ends = accessAll();
        peer.close();
        assertTrue(near.awaitClosed());
        assertNotNull(near.cause);
        for (final UcxPair.Ended end : ends) {
            assertTrue(end.isDone());
            assertThrows(IOException.class, end::await);
        }
        assertEquals(1, near.closings.get());
        assertTrue(LinkRecorder.send(near.link, "dropped"));
        memory.close();
    }

    @Test
    void shouldCloseALinkThatIsPolledWhenThePeerIsKilled() throws Exception {
        near.wakeUpNeeded = false;
        for (int i = 0; i < 1_000; i++) {
            near.link.poll();
        }
        peer.close();
        while (near.closings.get() == 0) {
            near.link.poll();
        }
        assertTrue(near.awaitClosed());
        assertNotNull(near.cause);
    }

    @Test
    void shouldCloseALinkThatIsFullWhenThePeerIsKilled() throws Exception {
        peer.stop();
        final byte[] frame = new byte[40_000];
        int accepted = 0;
        while (near.link.trySend(frame, frame.length, null, 0, 0) || near.writable.tryAcquire(1, TimeUnit.SECONDS)) {
            accepted++;
        }
        assertTrue(accepted > 10);
        peer.close();
        assertTrue(near.awaitClosed());
        assertNotNull(near.cause);
    }

    @Test
    void shouldKeepTheLinkAndItsAccessesOfAPeerThatIsStoppedUntilItContinues() throws Exception {
        peer.stop();
        final List<UcxPair.Ended> ends = accessAll();
        assertTrue(LinkRecorder.send(near.link, "still there?"));
        assertFalse(ends.get(0).isDone());
        assertEquals(0, near.closings.get());
        peer.goOn();
        for (final UcxPair.Ended end : ends) {
            end.await();
        }
        assertNotNull(near.frames.poll(60, TimeUnit.SECONDS));
        assertEquals(0, near.closings.get());
    }

    @Test
    void shouldCloseWithinItsLimitWhenThePeerIsStopped() throws Exception {
        peer.stop();
        assertTrue(LinkRecorder.send(near.link, "last"));
        near.link.close();
        assertTrue(near.awaitClosed());
        assertEquals(null, near.cause);
    }
}
