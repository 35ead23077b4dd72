package tutti.runtime.datatype;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

class UserMemoryTest {

    @Test
    void shouldViewArraysOfPrimitiveTypes() {
        for (final Object array : List.of(new byte[24], new char[12], new short[12], new int[6], new long[3], new float[6], new double[3])) {
            assertEquals(24, UserMemory.of(array).byteSize());
            assertSame(array, UserMemory.of(array).heapBase().orElseThrow());
            assertFalse(UserMemory.isStaged(array));
        }
    }

    @Test
    void shouldStageBooleansAndWriteThemBack() {
        final boolean[] values = {true, false, true, false};
        assertTrue(UserMemory.isStaged(values));
        final MemorySegment staged = UserMemory.of(values);
        assertArrayEquals(new byte[] {1, 0, 1, 0}, staged.toArray(ValueLayout.JAVA_BYTE));
        staged.copyFrom(MemorySegment.ofArray(new byte[] {0, 1, 0, 1}));
        UserMemory.writeBack(values, staged, 1, 2);
        assertArrayEquals(new boolean[] {true, true, false, false}, values);
    }

    @Test
    void shouldWriteNothingBackWhereNothingIsStaged() {
        final int[] values = {1, 2};
        UserMemory.writeBack(values, MemorySegment.ofArray(new byte[8]), 0, 8);
        assertArrayEquals(new int[] {1, 2}, values);
    }

    @Test
    void shouldTakeBuffersFromTheirStartToTheirCapacity() {
        for (final Buffer buffer : List.of(ByteBuffer.allocate(40), ByteBuffer.allocateDirect(40), IntBuffer.allocate(10),
            ByteBuffer.allocate(40).asDoubleBuffer(), ByteBuffer.allocateDirect(40).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer(),
            ByteBuffer.allocateDirect(40).asShortBuffer(), DoubleBuffer.wrap(new double[5]), CharBuffer.allocate(20))) {
            final int step = buffer.capacity() / 5;
            buffer.position(step).limit(2 * step);
            assertEquals(40, UserMemory.of(buffer).byteSize());
            assertEquals(step, buffer.position());
            assertEquals(2 * step, buffer.limit());
            assertEquals(32, UserMemory.of(buffer.clear().slice(step, 4 * step)).byteSize());
        }
    }

    @Test
    void shouldStartWhereTheSliceStarts() {
        final int[] array = {10, 20, 30, 40};
        final MemorySegment memory = UserMemory.of(IntBuffer.wrap(array, 1, 3).slice());
        assertEquals(12, memory.byteSize());
        assertEquals(20, memory.get(ValueLayout.JAVA_INT_UNALIGNED, 0));
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, 4, 31);
        assertEquals(31, array[2]);
        final IntBuffer direct = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asIntBuffer();
        direct.put(2, 7).position(2);
        assertEquals(7, UserMemory.of(direct.slice()).get(ValueLayout.JAVA_INT_UNALIGNED, 0));
    }

    @Test
    void shouldTakeSegmentsThatAllThreadsMayUse() {
        final MemorySegment memory = Arena.ofAuto().allocate(8);
        assertSame(memory, UserMemory.of(memory));
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment confined = arena.allocate(8);
            failsWith(ErrorClass.BUFFER, "buffer belongs to one thread: use memory of a shared, automatic or global arena",
                () -> UserMemory.of(confined));
            failsWith(ErrorClass.BUFFER, "buffer belongs to one thread: use memory of a shared, automatic or global arena",
                () -> UserMemory.of(confined.asByteBuffer()));
        }
    }

    @Test
    void shouldRefuseOtherObjects() {
        failsWith(ErrorClass.BUFFER, "buffer is null", () -> UserMemory.of(null));
        failsWith(ErrorClass.BUFFER, "not a buffer: class=java.lang.String, use an array of a primitive type or a java.nio buffer",
            () -> UserMemory.of("text"));
        failsWith(ErrorClass.BUFFER, "not a buffer: class=java.lang.Integer[], use an array of a primitive type or a java.nio buffer",
            () -> UserMemory.of(new Integer[1]));
        failsWith(ErrorClass.BUFFER, "not a buffer: class=java.nio.StringCharBuffer, use an array of a primitive type or a java.nio buffer",
            () -> UserMemory.of(CharBuffer.wrap("text")));
    }

    @Test
    void shouldCheckCountTypeAndSize() {
        final MemorySegment memory = MemorySegment.ofArray(new double[50]);
        UserMemory.check(memory, 50, Datatype.DOUBLE);
        UserMemory.check(memory, 0, Datatype.DOUBLE);
        failsWith(ErrorClass.COUNT, "count is negative: count=-1", () -> UserMemory.check(memory, -1, Datatype.DOUBLE));
        failsWith(ErrorClass.BUFFER, "buffer too small: need=800, have=400 bytes (count=100, type=DOUBLE)",
            () -> UserMemory.check(memory, 100, Datatype.DOUBLE));
        failsWith(ErrorClass.BUFFER, "buffer too small: need=9223372036854775807, have=400 bytes (count=9223372036854775807, type=DOUBLE)",
            () -> UserMemory.check(memory, Long.MAX_VALUE, Datatype.DOUBLE));
        failsWith(ErrorClass.TYPE, "datatype is NULL", () -> UserMemory.check(memory, 1, Datatype.NULL));
        final Datatype before = Datatype.hindexed(new long[] {1}, new long[] {-8}, Datatype.INT);
        failsWith(ErrorClass.BUFFER, "data begins before the buffer: first byte=-8 (count=1, type=hindexed(1,INT))",
            () -> UserMemory.check(memory, 1, before));
    }

    @Test
    void shouldReachTheArrayBeforeASliceWhereDataBeginsThere() {
        final int[] array = {1, 2, 3, 4, 5, 6};
        final IntBuffer slice = IntBuffer.wrap(array, 2, 3).slice();
        final MemorySegment memory = UserMemory.of(slice);
        assertSame(memory, UserMemory.from(0, slice, memory));
        final MemorySegment all = UserMemory.from(-4, slice, memory);
        assertEquals(8, UserMemory.startIn(all, memory));
        assertEquals(20, all.byteSize());
        assertEquals(3, all.get(ValueLayout.JAVA_INT_UNALIGNED, 8));
        // neither before the array, nor before other memory
        assertSame(memory, UserMemory.from(-12, slice, memory));
        final ByteBuffer direct = ByteBuffer.allocateDirect(20).slice(8, 12);
        assertEquals(12, UserMemory.from(-4, direct, UserMemory.of(direct)).byteSize());
        final MemorySegment part = MemorySegment.ofArray(array).asSlice(8);
        assertSame(part, UserMemory.from(-4, part, part));
    }

    @Test
    void shouldCheckDataOutsideOfElementBounds() {
        final MemorySegment memory = MemorySegment.ofArray(new byte[40]);
        final Datatype before = Datatype.hindexed(new long[] {1}, new long[] {-8}, Datatype.INT);
        UserMemory.check(memory, 8, 1, before);
        UserMemory.check(memory, 40, 1, before);
        failsWith(ErrorClass.BUFFER, "data begins before the buffer: first byte=-1 (count=1, type=hindexed(1,INT))",
            () -> UserMemory.check(memory, 7, 1, before));
        failsWith(ErrorClass.BUFFER, "buffer too small: need=4, have=-5 bytes (count=1, type=hindexed(1,INT))",
            () -> UserMemory.check(memory, 45, 1, before));
        final Datatype behind = Datatype.hindexed(new long[] {1}, new long[] {8}, Datatype.INT);
        UserMemory.check(memory, -8, 1, behind);
        UserMemory.check(memory, 28, 1, behind);
        failsWith(ErrorClass.BUFFER, "buffer too small: need=12, have=11 bytes (count=1, type=hindexed(1,INT))",
            () -> UserMemory.check(memory, 29, 1, behind));
        failsWith(ErrorClass.BUFFER, "data begins before the buffer: first byte=-1 (count=1, type=hindexed(1,INT))",
            () -> UserMemory.check(memory, -9, 1, behind));
        UserMemory.check(memory, 1000, 1, Datatype.contiguous(0, Datatype.INT));
    }

    @Test
    void shouldWriteBackBetweenGapsOnly() {
        final boolean[] values = new boolean[8];
        final MemorySegment staged = UserMemory.of(values);
        staged.fill((byte) 1);
        // meanwhile another operation wrote into a gap
        values[2] = true;
        staged.set(ValueLayout.JAVA_BYTE, 2, (byte) 0);
        UserMemory.writeBack(values, staged, Datatype.vector(3, 1, 2, Datatype.BOOLEAN), 2, 1);
        assertArrayEquals(new boolean[] {false, true, true, true, false, false, false, false}, values);
    }

    @Test
    void shouldDetectOverlap() {
        final int[] array = new int[10];
        final MemorySegment all = MemorySegment.ofArray(array);
        assertTrue(UserMemory.overlap(all.asSlice(0, 20), all.asSlice(16)));
        assertFalse(UserMemory.overlap(all.asSlice(0, 16), all.asSlice(16)));
        assertFalse(UserMemory.overlap(all, MemorySegment.ofArray(new int[10])));
        assertFalse(UserMemory.overlap(all, Arena.ofAuto().allocate(40)));
    }

    @Test
    void shouldNeedNoGapAfterTheLastElement() {
        UserMemory.check(MemorySegment.ofArray(new byte[28]), 2, Datatype.DOUBLE_INT);
        failsWith(ErrorClass.BUFFER, "buffer too small: need=28, have=27 bytes (count=2, type=DOUBLE_INT)",
            () -> UserMemory.check(MemorySegment.ofArray(new byte[27]), 2, Datatype.DOUBLE_INT));
    }

    @Test
    void shouldReceiveIntoWritableMemoryOnly() {
        final MemorySegment memory = UserMemory.of(ByteBuffer.allocate(8).asReadOnlyBuffer());
        UserMemory.check(memory, 8, Datatype.BYTE);
        UserMemory.checkReceive(memory, 0, Datatype.BYTE);
        UserMemory.checkReceive(UserMemory.of(new byte[8]), 8, Datatype.BYTE);
        failsWith(ErrorClass.BUFFER, "receive buffer is read only: count=8, type=BYTE", () -> UserMemory.checkReceive(memory, 8, Datatype.BYTE));
    }

    private static void failsWith(final ErrorClass errorClass, final String message, final Executable call) {
        final MpiFailure failure = assertThrows(MpiFailure.class, call);
        assertEquals(message, failure.getMessage());
        assertEquals(errorClass, failure.errorClass());
    }
}
