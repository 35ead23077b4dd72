package tutti.runtime.transport.mina;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class FrameReaderTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5, 1_000, 8_191, 65_536, Integer.MAX_VALUE})
    void shouldFindFramesInPartsOfAnySize(final int most) throws IOException {
        Random random = new Random(most);
        check(random, bytes -> Math.min(bytes, most), most < 10 ? 20 : 400);
    }

    @Test
    void shouldFindFramesInPiecesOfRandomSize() throws IOException {
        Random random = new Random(17);
        check(random, bytes -> Math.min(bytes, 1 + random.nextInt(random.nextInt(10) == 0 ? 300_000 : 5_000)), 1_000);
    }

    private static void check(final Random random, final IntUnaryOperator piece, final int frames) throws IOException {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        List<byte[]> sent = new ArrayList<>();
        for (int i = 0; i < frames; i++) {
            byte[] frame = LinkTest.pattern(random.nextInt(random.nextInt(8) == 0 ? WireFormat.MAX_FRAME + 1 : 3_000), i);
            for (int b = 0; b < 4; b++) {
                stream.write(frame.length >>> (8 * b));
            }
            stream.writeBytes(frame);
            sent.add(frame);
        }
        int next = 0;
        try (FrameReader reader = new FrameReader(); Source source = new Source(stream.toByteArray(), piece)) {
            while (reader.fill(source) >= 0) {
                for (int bytes = reader.wholeFrame(); bytes >= 0; bytes = reader.wholeFrame()) {
                    assertArrayEquals(sent.get(next++),
                        reader.memory().asSlice(reader.start() + WireFormat.FRAME_HEADER, bytes).toArray(ValueLayout.JAVA_BYTE));
                    reader.consume(WireFormat.FRAME_HEADER + bytes);
                }
            }
            assertEquals(stream.size(), reader.received());
        }
        assertEquals(frames, next);
    }

    @Test
    void shouldStaySmallForIdleLinksAndCheckLengths() throws IOException {
        long before = DirectMemory.inUse();
        byte[] bytes = new byte[4_000];
        bytes[3] = 0x7F;
        try (FrameReader reader = new FrameReader(); Source source = new Source(bytes, asked -> asked)) {
            reader.fill(source);
            assertEquals("frame too long: bytes=2130706432, max=" + WireFormat.MAX_FRAME,
                assertThrows(ProtocolException.class, reader::wholeFrame).getMessage());
            reader.fill(source);
            assertTrue(DirectMemory.inUse() - before <= FrameReader.MIN_SIZE);
        }
        assertEquals(before, DirectMemory.inUse());
    }

    /** Channel that returns a stream in parts of given sizes. */
    private static final class Source implements ReadableByteChannel {
        private final ByteBuffer stream;
        private final IntUnaryOperator piece;

        Source(final byte[] stream, final IntUnaryOperator piece) {
            this.stream = ByteBuffer.wrap(stream);
            this.piece = piece;
        }

        @Override
        public int read(final ByteBuffer into) {
            if (!stream.hasRemaining()) {
                return -1;
            }
            int bytes = Math.min(stream.remaining(), piece.applyAsInt(into.remaining()));
            into.put(stream.slice(stream.position(), bytes));
            stream.position(stream.position() + bytes);
            return bytes;
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
