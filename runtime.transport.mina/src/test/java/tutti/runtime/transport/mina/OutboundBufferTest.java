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
@Timeout(120)
class OutboundBufferTest {
    private final LimitedChannel channel = new LimitedChannel();
    private final OutboundBuffer buffer = new OutboundBuffer(channel, () -> channel.requests++);
    private final ByteArrayOutputStream expected = new ByteArrayOutputStream();

    @AfterEach
    void shouldReleaseItsMemory() {
        long before = DirectMemory.inUse();
        buffer.close();
        assertTrue(DirectMemory.inUse() <= before);
        assertTrue(buffer.offer(new byte[4], 4, null, 0, 0));
    }

    @Test
    void shouldKeepOrderThroughWrapsAndGrowth() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            channel.space += random.nextInt(i % 2_000 < 1_000 ? 3_000 : 9_000);
            buffer.writable();
            offer(LinkTest.pattern(1 + random.nextInt(random.nextInt(50) == 0 ? WireFormat.MAX_FRAME : 6_000), i));
        }
        channel.space = Long.MAX_VALUE;
        buffer.writable();
        assertTrue(buffer.isEmpty());
        assertArrayEquals(expected.toByteArray(), channel.written.toByteArray());
    }

    @Test
    void shouldWriteASeriesOfFramesTogether() {
        channel.space = Long.MAX_VALUE;
        buffer.cork();
        for (int i = 0; i < 10; i++) {
            assertTrue(offer(LinkTest.pattern(100, i)));
        }
        assertEquals(0, channel.written.size());
        buffer.uncork();
        assertTrue(buffer.isEmpty());
        assertArrayEquals(expected.toByteArray(), channel.written.toByteArray());
        assertTrue(offer(new byte[6]));
        assertArrayEquals(expected.toByteArray(), channel.written.toByteArray());
    }

    @Test
    void shouldWriteALongSeriesBeforeItsEndAndRefuseNothingThatHasSpace() {
        channel.space = Long.MAX_VALUE;
        buffer.cork();
        for (int i = 0; i < 100; i++) {
            assertTrue(offer(LinkTest.pattern(100_000, i)));
        }
        assertTrue(channel.written.size() > 9_000_000);
        buffer.uncork();
        assertArrayEquals(expected.toByteArray(), channel.written.toByteArray());
    }

    private boolean offer(final byte[] frame) {
        int header = frame.length / 3;
        boolean taken = buffer.offer(frame, header, MemorySegment.ofArray(frame), header, frame.length - header);
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
        channel.space = 10;
        assertTrue(offer(new byte[6]));
        assertEquals(10, channel.written.size());
        assertEquals(0, channel.requests);
        assertTrue(offer(new byte[1]));
        assertTrue(offer(new byte[1]));
        assertEquals(1, channel.requests);
        assertFalse(buffer.isEmpty());
        channel.space = 100;
        assertTrue(offer(new byte[1]));
        assertEquals(10, channel.written.size());
        buffer.writable();
        assertTrue(buffer.isEmpty());
        assertArrayEquals(expected.toByteArray(), channel.written.toByteArray());
    }

    @Test
    void shouldRejectAboveTheHighMarkUntilHalfIsWritten() {
        byte[] frame = new byte[WireFormat.MAX_FRAME];
        int count = 0;
        while (offer(frame)) {
            count++;
        }
        assertEquals(OutboundBuffer.HIGH_MARK / (frame.length + 4), count);
        assertFalse(buffer.clearSenderBlocked());
        channel.space = OutboundBuffer.HIGH_MARK / 4;
        buffer.writable();
        assertFalse(buffer.clearSenderBlocked());
        channel.space = OutboundBuffer.HIGH_MARK / 2;
        buffer.writable();
        assertTrue(buffer.clearSenderBlocked());
        assertFalse(buffer.clearSenderBlocked());
    }

    @Test
    void shouldFinishAHeartbeatThatTheChannelTookInPart() {
        channel.space = 3;
        buffer.heartbeat();
        expect();
        assertEquals(3, channel.written.size());
        assertEquals(1, channel.requests);
        channel.space = 100;
        offer(new byte[] {1, 2, 3});
        buffer.writable();
        assertArrayEquals(expected.toByteArray(), channel.written.toByteArray());
        buffer.heartbeat();
        expect();
        channel.space = 2;
        buffer.heartbeat();
        channel.space = 100;
        buffer.writable();
        buffer.heartbeat();
        expect();
        assertArrayEquals(expected.toByteArray(), channel.written.toByteArray());
    }

    @Test
    void shouldLeaveAHeartbeatOutWhenTheChannelIsFullOrFramesWait() {
        buffer.heartbeat();
        channel.space = 2;
        offer(new byte[2]);
        buffer.heartbeat();
        channel.space = 100;
        buffer.writable();
        assertArrayEquals(expected.toByteArray(), channel.written.toByteArray());
    }

    @Test
    void shouldDiscardAndRememberWhenTheChannelFails() {
        channel.failure = new IOException("Broken pipe");
        assertTrue(buffer.offer(new byte[4], 4, null, 0, 0));
        assertEquals(channel.failure, buffer.failure());
        assertEquals(1, channel.requests);
        assertTrue(buffer.isEmpty());
        buffer.heartbeat();
        assertTrue(buffer.offer(new byte[4], 4, null, 0, 0));
    }

    @Test
    void shouldAcceptNoPartOfAFrameWhosePayloadIsClosed() {
        channel.space = 100;
        MemorySegment gone;
        try (Arena arena = Arena.ofConfined()) {
            gone = arena.allocate(8);
        }
        assertThrows(IllegalStateException.class, () -> buffer.offer(new byte[1], 1, gone, 0, 8));
        assertTrue(offer(new byte[] {7}));
        assertArrayEquals(expected.toByteArray(), channel.written.toByteArray());
    }

    /** Channel that accepts {@link #space} bytes. */
    private static final class LimitedChannel implements WritableByteChannel {
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        long space;
        int requests;
        IOException failure;

        @Override
        public int write(final ByteBuffer bytes) throws IOException {
            if (failure != null) {
                throw failure;
            }
            byte[] some = new byte[(int) Math.min(space, bytes.remaining())];
            bytes.get(some);
            written.writeBytes(some);
            space -= some.length;
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
