package tutti.runtime.access;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.transport.Link;

/** Tests what frames of another node do to windows, right ones and such that no node sends. */
class WindowTableTest {
    private static final long WINDOW = 48;
    private static final int TARGET = 3;

    private final byte[] memory = new byte[64];
    /** Bytes of data in a frame of an answer. */
    private int space = 10;
    private final WindowTable table = new WindowTable();
    private final List<String> answers = new ArrayList<>();
    private final Peer peer = new Peer();
    /** Answers that the link does not take yet. */
    private final List<AccessItem> held = new ArrayList<>();
    private boolean isBusy;
    private byte[] last = {};

    /** Records the answers as they would be on the wire. */
    private final class Peer extends SerialExecutor implements AccessItem.Queue {
        @Override
        public void enqueue(final AccessItem item) {
            if (isBusy) {
                held.add(item);
                return;
            }
            assertTrue(item.begins());
            assertTrue(item.send(new Recorder(item.answerTo())));
        }
    }

    /** A link with short frames, which records them. */
    private final class Recorder implements Link {
        private final long answerTo;

        Recorder(final long answerTo) {
            this.answerTo = answerTo;
        }

        @Override
        public boolean trySend(final byte[] header, final int headerBytes, final @Nullable MemorySegment payload, final long at, final int bytes) {
            final MemorySegment h = MemorySegment.ofArray(header);
            final int code = AccessFrame.errorClass(h, AccessFrame.PREFIX);
            final byte[] data = payload.asSlice(at, bytes).toArray(ValueLayout.JAVA_BYTE);
            last = data;
            answers.add(answerTo + ": " + (code == 0 ? "at " + AccessFrame.answerPosition(h, AccessFrame.PREFIX) + " " + data.length
                : new String(data, StandardCharsets.UTF_8)) + " of " + AccessFrame.answerBytes(h, AccessFrame.PREFIX));
            return true;
        }

        @Override
        public void cork() {
            // one frame at a time
        }

        @Override
        public void uncork() {
            // as above
        }

        @Override
        public int maxFrame() {
            return AccessFrame.PREFIX + AccessFrame.ANSWER_FIELDS + space;
        }

        @Override
        public String peer() {
            return "peer";
        }

        @Override
        public void close() {
            // nothing to close
        }
    }

    /** Returns the payload of a frame: an action, an operation and a kind, the length of its data, and runs of four numbers. */
    private static byte[] frame(final AccessOperation.Action action, final int operation, final int kind, final long bytes, final byte[] data,
        final long... runs) {
        final ByteBuffer to = ByteBuffer.allocate(AccessFrame.FIELDS + 8 * runs.length + data.length).order(ByteOrder.LITTLE_ENDIAN);
        to.put((byte) action.ordinal()).put((byte) operation).put((byte) kind).put((byte) 0).putInt(runs.length / 4);
        to.putLong(WINDOW).putInt(TARGET).putInt(1).putLong(0).putLong(bytes);
        for (final long run : runs) {
            to.putLong(run);
        }
        return to.put(data).array();
    }

    private void access(final long id, final byte[] frame) {
        table.access(peer, id, MemorySegment.ofArray(frame), 0, frame.length);
    }

    private void add() {
        table.add(WINDOW, TARGET, new WindowPart(WindowMemory.of(TARGET, MemorySegment.ofArray(memory), MemoryWords.ofJvm(4))));
    }

    @Test
    void shouldWriteBlocksAndAnswerReadsInFramesThatFitTheLink() {
        add();
        access(-1, frame(AccessOperation.Action.PUT, 0, 0, 6, new byte[] {1, 2, 3, 4, 5, 6}, 10, 2, 5, 3));
        assertArrayEquals(new byte[] {1, 2, 0, 0, 0, 3, 4, 0, 0, 0, 5, 6}, Arrays.copyOfRange(memory, 10, 22));
        access(7, frame(AccessOperation.Action.GET, 0, 0, 24, new byte[0], 0, 24, 0, 1));
        access(8, frame(AccessOperation.Action.GET, 0, 0, 12, new byte[0], 10, 4, 20, 3));
        access(9, frame(AccessOperation.Action.FLUSH, 0, 0, 0, new byte[0]));
        assertEquals(List.of("7: at 0 10 of 10", "7: at 10 10 of 10", "7: at 20 4 of 4", "8: at 0 10 of 10", "8: at 10 2 of 2", "9: at 0 0 of 0"),
            answers);
    }

    @Test
    void shouldTellByTheNextFlushWhyAWriteHadNoEffect() {
        space = 100;
        add();
        access(-1, frame(AccessOperation.Action.PUT, 0, 0, 2, new byte[2], 63, 2, 0, 1));
        access(1, frame(AccessOperation.Action.FLUSH, 0, 0, 0, new byte[0]));
        access(2, frame(AccessOperation.Action.FLUSH, 0, 0, 0, new byte[0]));
        assertEquals(List.of("1: beyond the memory of the window: target=3, offset=63, bytes=2 of 0", "2: at 0 0 of 0"), answers);
    }

    @Test
    void shouldAnswerThatAWindowIsFreedAndThatALockIsMissing() {
        access(3, frame(AccessOperation.Action.UNLOCK, 0, 0, 0, new byte[0]));
        assertEquals(List.of("3: window has of 0"), answers);
        answers.clear();
        space = 100;
        access(4, frame(AccessOperation.Action.GET, 0, 0, 8, new byte[0], 0, 8, 0, 1));
        access(-1, frame(AccessOperation.Action.PUT, 0, 0, 1, new byte[1], 0, 1, 0, 1));
        add();
        access(5, frame(AccessOperation.Action.UNLOCK, 0, 0, 0, new byte[0]));
        access(-1, frame(AccessOperation.Action.UNLOCK_FLUSHED, 0, 0, 0, new byte[0]));
        access(6, frame(AccessOperation.Action.FLUSH, 0, 0, 0, new byte[0]));
        assertEquals(List.of("4: window has been freed: target=3 of 8", "5: rank has no lock: origin=1 of 0", "6: rank has no lock: origin=1 of 0"),
            answers);
    }

    /** A rank that has read without waiting ends its lock; its answer is sent when the next one has the lock. */
    @ParameterizedTest
    @CsvSource({"4, 0, 1", "2, 4, 2"})
    void shouldReadBeforeTheLockEnds(final long length, final long stride, final long repeat) {
        add();
        access(1, frame(AccessOperation.Action.LOCK, 0, 0, 0, new byte[0]));
        isBusy = true;
        access(2, frame(AccessOperation.Action.GET, 0, 0, length * repeat, new byte[0], 8, length, stride, repeat));
        access(-1, frame(AccessOperation.Action.UNLOCK_FLUSHED, 0, 0, 0, new byte[0]));
        table.find(WINDOW, TARGET).locks().request(2, true, () -> Arrays.fill(memory, (byte) 9));
        assertEquals(9, memory[8], "the next rank has the lock");
        isBusy = false;
        held.forEach(peer::enqueue);
        assertArrayEquals(new byte[4], last);
    }

    @Test
    void shouldGrantLocksInOrder() {
        add();
        access(1, frame(AccessOperation.Action.LOCK_SHARED, 0, 0, 0, new byte[0]));
        table.find(WINDOW, TARGET).locks().request(2, true, () -> answers.add("exclusive"));
        access(3, frame(AccessOperation.Action.LOCK_SHARED, 0, 0, 0, new byte[0]));
        assertEquals(List.of("1: at 0 0 of 0"), answers);
        assertEquals(new WindowLocks.Held(List.of(1), false, List.of(2, 1)), table.find(WINDOW, TARGET).locks().held());
        access(-1, frame(AccessOperation.Action.UNLOCK_FLUSHED, 0, 0, 0, new byte[0]));
        assertEquals(List.of("1: at 0 0 of 0", "exclusive"), answers);
        table.find(WINDOW, TARGET).locks().release(2);
        assertEquals("3: at 0 0 of 0", answers.getLast());
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 8, 0, 8, 0, 2", "0, 0, 8, 0, -8, 0, -1", "0, 0, 8, 0, 8, 0, 0", "0, 99, 8, 0, 8, 0, 1", "99, 0, 8, 0, 8, 0, 1",
        "0, 0, 9, 0, 8, 0, 1",
        "0, 0, 8, 9223372036854775807, 4, 9223372036854775807, 2", "0, 0, 8, 0, 4611686018427387904, 0, 4"})
    void shouldRefuseFramesThatNoNodeSends(final int operation, final int kind, final long bytes, final long offset, final long length,
        final long stride, final long repeat) {
        add();
        final byte[] frame = frame(AccessOperation.Action.ACCUMULATE, operation, kind, bytes, new byte[8], offset, length, stride, repeat);
        final RuntimeException e = assertThrows(RuntimeException.class, () -> access(-1, frame));
        assertTrue(e instanceof IllegalArgumentException || e instanceof ArithmeticException, e::toString);
    }

    @Test
    void shouldSurviveAnyBytes() {
        add();
        final SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 20_000; i++) {
            final byte[] frame =
                frame(AccessOperation.Action.values()[random.nextInt(11)], random.nextInt(14), random.nextInt(16), 8, new byte[8], 8, 8,
                    0, 1);
            for (int k = random.nextInt(4); k > 0; k--) {
                frame[random.nextInt(frame.length)] = (byte) random.nextInt();
            }
            try {
                access(random.nextInt(3) - 1, frame);
            } catch (final IllegalArgumentException | ArithmeticException e) {
                // the link is closed
            }
        }
        final byte[] endless = frame(AccessOperation.Action.FETCH, 13, 0, 1L << 40, new byte[0], 0, 1L << 40, 0, 1);
        assertThrows(IllegalArgumentException.class, () -> access(1, endless));
        assertEquals(1, table.size());
    }
}
