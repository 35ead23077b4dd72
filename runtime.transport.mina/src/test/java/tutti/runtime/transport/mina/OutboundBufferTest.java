package tutti.runtime.transport.mina;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the ring with a channel that accepts exactly as many bytes as a test allows. */
@Timeout(60)
class OutboundBufferTest {
    private final Tap tap = new Tap();
    private final OutboundBuffer outbox = new OutboundBuffer(tap, () -> tap.requests++);
    private final ByteArrayOutputStream expected = new ByteArrayOutputStream();

    @AfterEach
    void shouldGiveItsMemoryBack() {
        long before = DirectMemory.inUse();
        outbox.close();
        assertTrue(DirectMemory.inUse() <= before);
        assertTrue(outbox.offer(new byte[4], 4, null, 0, 0));
    }

    @Test
    void shouldKeepOrderThroughWrapsAndGrowth() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            tap.room += random.nextInt(i % 2_000 < 1_000 ? 3_000 : 9_000);
            outbox.writable();
            offer(LinkTest.pattern(1 + random.nextInt(random.nextInt(50) == 0 ? WireFormat.MAX_FRAME : 6_000), i));
        }
        tap.room = Long.MAX_VALUE;
        outbox.writable();
        assertTrue(outbox.isEmpty());
        assertArrayEquals(expected.toByteArray(), tap.taken.toByteArray());
    }

    private boolean offer(final byte[] frame) {
        int header = frame.length / 3;
        boolean taken = outbox.offer(frame, header, MemorySegment.ofArray(frame), header, frame.length - header);
        if (taken) {
            expect(frame);
        }
        return taken;
    }

    private void expect(final byte... frame) {
        for (int i = 0; i < 4; i++) {
            expected.write(frame.length >>> (8 * i));
        }
        expected.writeBytes(frame);
    }

    @Test
    void shouldWriteAtOnceWhenIdleAndWaitForTheChannelWhenNot() {
        tap.room = 10;
        assertTrue(offer(new byte[6]));
        assertEquals(10, tap.taken.size());
        assertEquals(0, tap.requests);
        assertTrue(offer(new byte[1]));
        assertTrue(offer(new byte[1]));
        assertEquals(1, tap.requests);
        assertFalse(outbox.isEmpty());
        tap.room = 100;
        assertTrue(offer(new byte[1]));
        assertEquals(10, tap.taken.size());
        outbox.writable();
        assertTrue(outbox.isEmpty());
        assertArrayEquals(expected.toByteArray(), tap.taken.toByteArray());
    }

    @Test
    void shouldWishForRoomAboveTheHighMarkUntilHalfIsGone() {
        byte[] frame = new byte[WireFormat.MAX_FRAME];
        int count = 0;
        while (offer(frame)) {
            count++;
        }
        assertEquals(OutboundBuffer.HIGH_MARK / (frame.length + 4), count);
        assertFalse(outbox.takeWish());
        tap.room = OutboundBuffer.HIGH_MARK / 4;
        outbox.writable();
        assertFalse(outbox.takeWish());
        tap.room = OutboundBuffer.HIGH_MARK / 2;
        outbox.writable();
        assertTrue(outbox.takeWish());
        assertFalse(outbox.takeWish());
    }

    @Test
    void shouldFinishAHeartbeatThatTheChannelTookInPart() {
        tap.room = 3;
        outbox.heartbeat();
        expect();
        assertEquals(3, tap.taken.size());
        assertEquals(1, tap.requests);
        tap.room = 100;
        offer(new byte[] {1, 2, 3});
        outbox.writable();
        assertArrayEquals(expected.toByteArray(), tap.taken.toByteArray());
        outbox.heartbeat();
        expect();
        tap.room = 2;
        outbox.heartbeat();
        tap.room = 100;
        outbox.writable();
        outbox.heartbeat();
        expect();
        assertArrayEquals(expected.toByteArray(), tap.taken.toByteArray());
    }

    @Test
    void shouldLeaveAHeartbeatOutWhenTheChannelIsFullOrFramesWait() {
        outbox.heartbeat();
        tap.room = 2;
        offer(new byte[2]);
        outbox.heartbeat();
        tap.room = 100;
        outbox.writable();
        assertArrayEquals(expected.toByteArray(), tap.taken.toByteArray());
    }

    @Test
    void shouldDiscardAndRememberWhenTheChannelFails() {
        tap.failure = new IOException("Broken pipe");
        assertTrue(outbox.offer(new byte[4], 4, null, 0, 0));
        assertEquals(tap.failure, outbox.failure());
        assertEquals(1, tap.requests);
        assertTrue(outbox.isEmpty());
        outbox.heartbeat();
        assertTrue(outbox.offer(new byte[4], 4, null, 0, 0));
    }

    @Test
    void shouldTakeNothingOfAFrameWhosePayloadIsGone() {
        tap.room = 100;
        MemorySegment gone;
        try (Arena arena = Arena.ofConfined()) {
            gone = arena.allocate(8);
        }
        assertThrows(IllegalStateException.class, () -> outbox.offer(new byte[1], 1, gone, 0, 8));
        assertTrue(offer(new byte[] {7}));
        assertArrayEquals(expected.toByteArray(), tap.taken.toByteArray());
    }

    /** Channel that accepts {@link #room} bytes. */
    private static final class Tap implements WritableByteChannel {
        final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        long room;
        int requests;
        IOException failure;

        @Override
        public int write(final ByteBuffer bytes) throws IOException {
            if (failure != null) {
                throw failure;
            }
            byte[] some = new byte[(int) Math.min(room, bytes.remaining())];
            bytes.get(some);
            taken.writeBytes(some);
            room -= some.length;
            return some.length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // nothing to close
        }
    }
}
