package tutti.runtime.transport.shm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.transport.LinkRecorder;

/** Tests both sides of a ring by one thread. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RingTest {
    @TempDir
    private Path folder;
    private final LinkRecorder handler = new LinkRecorder();
    private SharedRegion region;
    private RingWriter writer;
    private RingReader reader;
    private ShmLink link;
    private SocketChannel channel;
    private MemorySegment words;
    private MemorySegment ring;
    private int size;

    @BeforeEach
    void open() throws IOException {
        final ShmSettings settings = ShmSettings.of(folder);
        region = SharedRegion.create(folder.resolve("memory"), settings);
        size = settings.ringBytes();
        words = region.words(SharedRegion.ACCEPTOR);
        ring = region.ring(SharedRegion.ACCEPTOR);
        writer = new RingWriter(words, ring);
        reader = new RingReader(words, ring);
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        link = new ShmLink(channel, region, SharedRegion.ACCEPTOR, "test", null, handler);
    }

    @AfterEach
    void close() throws IOException {
        region.close();
        channel.close();
    }

    private int offer(final byte[] frame) {
        final int header = Math.min(frame.length, 48);
        return writer.offer(frame, header, MemorySegment.ofArray(frame), header, frame.length - header);
    }

    @Test
    void shouldCarryRandomFramesAcrossItsEnd() throws IOException {
        final SplittableRandom random = new SplittableRandom(7);
        final Queue<byte[]> sent = new ArrayDeque<>();
        int full = 0;
        for (int i = 0; i < 30_000; i++) {
            final byte[] frame = new byte[1 + random.nextInt(random.nextInt(4) == 0 ? Record.MAX_FRAME : 300)];
            random.nextBytes(frame);
            if (offer(frame) == RingWriter.ACCEPTED) {
                sent.add(frame);
            } else {
                full++;
            }
            if (random.nextInt(12) == 0 || full > 0 && random.nextInt(3) == 0) {
                reader.read(link, handler);
                for (byte[] got = handler.frames.poll(); got != null; got = handler.frames.poll()) {
                    assertArrayEquals(sent.remove(), got);
                }
                assertTrue(sent.isEmpty() || reader.hasRecord());
            }
        }
        assertTrue(full > 0);
    }

    @Test
    void shouldAcceptAFrameOfAnyLengthWheneverItIsEmpty() throws IOException {
        for (int bytes = Record.MAX_FRAME; bytes > 0; bytes -= 997) {
            assertEquals(RingWriter.ACCEPTED, offer(new byte[bytes]));
            while (reader.hasRecord()) {
                assertTrue(reader.read(link, handler));
            }
            assertEquals(bytes, handler.frames.remove().length);
        }
    }

    @Test
    void shouldNotTakeOldBytesForAFrame() throws IOException {
        final byte[] ones = new byte[Record.MAX_FRAME];
        Arrays.fill(ones, (byte) 1);
        final byte[] one = {1};
        for (int i = 0; i < 50_000; i++) {
            assertEquals(RingWriter.ACCEPTED, offer(i % 100 == 0 ? ones : one));
            while (reader.hasRecord()) {
                reader.read(link, handler);
            }
            assertEquals(1, handler.frames.size());
            handler.frames.clear();
        }
    }

    @Test
    void shouldTellOfRoomWhenHalfIsFree() throws IOException {
        final byte[] frame = new byte[30_000];
        int accepted = 0;
        while (offer(frame) == RingWriter.ACCEPTED) {
            accepted++;
        }
        writer.want();
        assertEquals(RingWriter.FULL, offer(frame));
        assertFalse(reader.takeWanted());
        assertTrue(writer.isWanted());
        while (reader.hasRecord()) {
            reader.read(link, handler);
        }
        assertEquals(accepted, handler.frames.size());
        assertTrue(reader.takeWanted());
        assertFalse(writer.isWanted());
        assertFalse(reader.takeWanted());
    }

    @ParameterizedTest
    @ValueSource(ints = {Record.MAX_FRAME + 1, Integer.MAX_VALUE, -2, Integer.MIN_VALUE, Record.PADDING})
    void shouldRefuseALengthThatNoSenderWrites(final int length) {
        ring.set(ValueLayout.JAVA_INT, 0, length);
        final String message = assertThrows(IOException.class, () -> reader.read(link, handler)).getMessage();
        assertTrue(message.contains("frame of invalid length: peer=test, bytes=" + length), message);
        assertTrue(handler.frames.isEmpty());
    }

    @Test
    void shouldRefuseAFrameThatExceedsTheRing() throws IOException {
        final byte[] frame = new byte[Record.MAX_FRAME];
        while (offer(frame) == RingWriter.ACCEPTED) {
            reader.read(link, handler);
            if (size - (handler.frames.size() * Record.MAX_STRIDE) < 2 * Record.MAX_STRIDE) {
                break;
            }
        }
        final int at = handler.frames.size() * Record.MAX_STRIDE;
        ring.set(ValueLayout.JAVA_INT, at, Record.MAX_FRAME);
        reader.read(link, handler);
        ring.set(ValueLayout.JAVA_INT, at + Record.MAX_STRIDE, Record.MAX_FRAME);
        assertNotNull(assertThrows(IOException.class, () -> reader.read(link, handler)).getMessage());
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1 << 30, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldRefuseAPositionThatNoReaderWrites(final long head) {
        final byte[] frame = new byte[60_000];
        words.set(ValueLayout.JAVA_LONG, SharedRegion.HEAD, head);
        int result = RingWriter.ACCEPTED;
        for (int i = 0; i < 100 && result == RingWriter.ACCEPTED; i++) {
            result = offer(frame);
        }
        assertEquals(RingWriter.CORRUPT, result);
    }

    @Test
    void shouldRefuseRingsThatAreTooShortOrNoPowerOfTwo() {
        for (final int bytes : new int[] {0, -1, Integer.MIN_VALUE, 64 << 10, 600_000, 128 << 20}) {
            assertFalse(SharedRegion.isRing(bytes));
        }
        assertTrue(SharedRegion.isRing(512 << 10));
    }

    @Test
    void shouldLetOnlyItsUserOpenTheFile() throws IOException {
        assertEquals(ShmFolder.OWNER_ONLY, Files.getPosixFilePermissions(folder.resolve("memory")));
        assertEquals(SharedRegion.fileBytes(size), Files.size(folder.resolve("memory")));
        assertThrows(IOException.class, () -> SharedRegion.open(folder.resolve("memory"), 2 * size));
        assertThrows(IOException.class, () -> SharedRegion.open(Files.createSymbolicLink(folder.resolve("link"), folder.resolve("memory")), size));
        SharedRegion.open(folder.resolve("memory"), size).close();
    }
}
