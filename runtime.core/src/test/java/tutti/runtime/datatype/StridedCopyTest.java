package tutti.runtime.datatype;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests blocks of all lengths in memory of all kinds against copies byte by byte. */
class StridedCopyTest {
    private static final int BYTES = 48_000;
    private static final byte[] DATA = Kinds.random(BYTES, 4);
    private static final byte[] OTHER = Kinds.random(BYTES, 6);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64})
    void shouldMoveTheBytesOfTheBlocksAndNoOthers(final int length) {
        for (final int count : new int[] {6, 260}) {
            for (final int gap : new int[] {0, 3, 8, 40}) {
                for (final int base : new int[] {0, 8, 1}) {
                    check(length, count, length + gap, base);
                    check(length, count, -length - gap, base + (count - 1) * (length + gap));
                }
            }
        }
    }

    private static void check(final int length, final int count, final int stride, final int base) {
        final byte[] packed = Kinds.random(count * (length + 2) + 16, 5);
        final byte[] expectedPacked = packed.clone();
        final byte[] expectedUser = OTHER.clone();
        final int step = length + 2;
        for (int i = 0; i < count; i++) {
            System.arraycopy(DATA, base + i * stride, expectedPacked, 7 + i * step, length);
            System.arraycopy(expectedPacked, 7 + i * step, expectedUser, base + i * stride, length);
        }
        for (final MemorySegment room : List.of(MemorySegment.ofArray(new byte[packed.length]), Arena.ofAuto().allocate(packed.length))) {
            for (final MemorySegment user : Kinds.memories(BYTES)) {
                MemorySegment.copy(DATA, 0, user, ValueLayout.JAVA_BYTE, 0, BYTES);
                MemorySegment.copy(packed, 0, room, ValueLayout.JAVA_BYTE, 0, packed.length);
                final boolean done = StridedCopy.move(true, user, base, stride, room, 7, step, length, count);
                assertArrayEquals(done ? expectedPacked : packed, room.toArray(ValueLayout.JAVA_BYTE), () -> "packed from " + user);
                MemorySegment.copy(OTHER, 0, user, ValueLayout.JAVA_BYTE, 0, BYTES);
                MemorySegment.copy(expectedPacked, 0, room, ValueLayout.JAVA_BYTE, 0, packed.length);
                final byte[] before = user.asSlice(0, BYTES).toArray(ValueLayout.JAVA_BYTE);
                assertEquals(done, StridedCopy.move(false, user, base, stride, room, 7, step, length, count));
                assertArrayEquals(done ? expectedUser : before, user.asSlice(0, BYTES).toArray(ValueLayout.JAVA_BYTE), () -> "unpacked to " + user);
                // blocks of a few words of bytes can always be copied
                assertEquals(true, done || !user.isNative() && !(user.heapBase().orElseThrow() instanceof byte[]));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldStayInSlices(final boolean pack) {
        final byte[] array = Kinds.random(100, 1);
        final byte[] before = array.clone();
        final MemorySegment slice = MemorySegment.ofArray(array).asSlice(10, 80);
        final MemorySegment room = MemorySegment.ofArray(new byte[80]);
        assertThrows(IndexOutOfBoundsException.class, () -> StridedCopy.move(pack, slice, 4, 8, room, 0, 4, 4, 11));
        assertThrows(IndexOutOfBoundsException.class, () -> StridedCopy.move(pack, slice, 70, -8, room, 0, 4, 4, 10));
        assertThrows(IndexOutOfBoundsException.class, () -> StridedCopy.move(pack, room, 0, 8, slice, 41, 4, 4, 10));
        assertArrayEquals(before, array);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRejectUnsupportedBlocks(final boolean pack) {
        final MemorySegment bytes = MemorySegment.ofArray(new byte[1000]);
        assertFalse(StridedCopy.move(pack, bytes, 0, 50, bytes, 0, 9, 9, 10));
        assertFalse(StridedCopy.move(pack, bytes, 0, 80, bytes, 0, 72, 72, 10));
        assertFalse(StridedCopy.move(pack, bytes, 0, 8, bytes, 0, 4, 4, 5));
        assertFalse(StridedCopy.move(pack, bytes, 0, 8, MemorySegment.ofArray(new long[100]), 0, 4, 4, 10));
        assertFalse(StridedCopy.move(pack, MemorySegment.ofArray(new int[100]), 2, 8, bytes, 0, 4, 4, 10));
        assertFalse(StridedCopy.move(pack, MemorySegment.ofArray(new double[100]), 0, 12, bytes, 0, 8, 8, 10));
    }
}
