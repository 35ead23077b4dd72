package tutti.runtime.datatype;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests packing against a model that lists the offset of every byte of an element, in order. */
class PackTest {
    private static final int BASE = 24_000;
    private static final byte[] USER = Kinds.random(2 * BASE, 1);
    private static final byte[] OTHER = Kinds.random(2 * BASE, 3);

    /** A type with the offsets that its definition in the standard gives. */
    private record Case(Datatype type, long[] offsets, long extent) {
    }

    private static long[] bytes(final int size) {
        return LongStream.range(0, size).toArray();
    }

    private static Case copies(final Case old, final Datatype type, final long extent, final long... displacements) {
        final LongStream.Builder all = LongStream.builder();
        for (final long displacement : displacements) {
            for (final long offset : old.offsets) {
                all.add(displacement + offset);
            }
        }
        return new Case(type, all.build().toArray(), extent);
    }

    private static List<Case> basic() {
        final List<Case> cases = new ArrayList<>();
        for (final Datatype type : Kinds.BASIC) {
            if (type.size() == type.extent()) {
                cases.add(new Case(type, bytes((int) type.size()), type.extent()));
            }
        }
        cases.add(new Case(Datatype.SHORT_INT, new long[] {0, 1, 4, 5, 6, 7}, 8));
        cases.add(new Case(Datatype.LONG_INT, bytes(12), 16));
        cases.add(new Case(Datatype.DOUBLE_INT, bytes(12), 16));
        return cases;
    }

    private static List<Case> derived(final Case old) {
        final Datatype t = old.type;
        final long e = old.extent;
        final List<Case> cases = new ArrayList<>();
        final Datatype[] types = {Datatype.contiguous(3, t), Datatype.vector(3, 2, 4, t), Datatype.vector(2, 1, -3, t), Datatype.vector(3, 2, 2, t),
            Datatype.hvector(3, 1, e + 24, t), Datatype.indexed(new long[] {2, 0, 1, 1}, new long[] {3, 9, 0, 6}, t),
            Datatype.hindexed(new long[] {1, 2}, new long[] {-16, 8}, t), Datatype.resized(t, -8, e + 8), Datatype.resized(t, 0, -2 * e), t.dup()};
        final long[][] displacements = {{0, e, 2 * e}, {0, e, 4 * e, 5 * e, 8 * e, 9 * e}, {0, -3 * e}, {0, e, 2 * e, 3 * e, 4 * e, 5 * e},
            {0, e + 24, 2 * e + 48}, {3 * e, 4 * e, 0, 6 * e}, {-16, 8, 8 + e}, {0}, {0}, {0}};
        for (int i = 0; i < types.length; i++) {
            cases.add(copies(old, types[i], types[i].extent(), displacements[i]));
        }
        return cases;
    }

    @TestFactory
    Stream<DynamicTest> shouldMoveExactlyTheBytesOfTheTypeMap() {
        final Map<String, DynamicTest> tests = new LinkedHashMap<>();
        for (final Case simple : basic()) {
            add(tests, simple);
            for (final Case once : derived(simple)) {
                add(tests, once);
                derived(once).forEach(twice -> add(tests, twice));
            }
        }
        return tests.values().stream();
    }

    private static void add(final Map<String, DynamicTest> tests, final Case one) {
        final String name = tests.size() + " " + one.type;
        tests.put(name, dynamicTest(name, () -> {
            check(one, 0, 3);
            check(one, 1, 0);
            check(one, 3, 1);
            check(one, 7, 5);
        }));
    }

    private static void check(final Case one, final int count, final int at) {
        final int size = (int) one.type.size();
        assertEquals(one.offsets.length, size);
        final byte[] user = USER.clone();
        final byte[] packed = Kinds.random(count * size + 16, 2);
        final byte[] expected = packed.clone();
        for (int i = 0; i < count * size; i++) {
            expected[at + i] = user[userByte(one, i)];
        }
        one.type.pack(MemorySegment.ofArray(user), BASE, count, MemorySegment.ofArray(packed), at);
        assertArrayEquals(expected, packed, "packed");

        final byte[] other = OTHER.clone();
        final byte[] unpacked = other.clone();
        for (int i = 0; i < count * size; i++) {
            unpacked[userByte(one, i)] = packed[at + i];
        }
        one.type.unpack(MemorySegment.ofArray(packed), at, count, MemorySegment.ofArray(other), BASE);
        assertArrayEquals(unpacked, other, "unpacked, gaps included");
        checkRanges(one, count, user);
        checkSpan(one, count);
    }

    private static int userByte(final Case one, final int packedByte) {
        final int size = one.offsets.length;
        return (int) (BASE + packedByte / size * one.extent + one.offsets[packedByte % size]);
    }

    private static void checkRanges(final Case one, final int count, final byte[] user) {
        final int total = count * one.offsets.length;
        final Random random = new Random(total);
        for (int k = 0; k < 4 && total > 0; k++) {
            final int first = random.nextInt(total);
            final int length = random.nextInt(total - first + 1);
            final byte[] packed = Kinds.random(length + 2, 4);
            final byte[] other = OTHER.clone();
            final byte[] expected = packed.clone();
            final byte[] unpacked = other.clone();
            for (int i = 0; i < length; i++) {
                expected[1 + i] = user[userByte(one, first + i)];
                unpacked[userByte(one, first + i)] = expected[1 + i];
            }
            one.type.packRange(MemorySegment.ofArray(user), BASE, first, length, MemorySegment.ofArray(packed), 1);
            assertArrayEquals(expected, packed, "packed range");
            one.type.unpackRange(MemorySegment.ofArray(packed), 1, first, length, MemorySegment.ofArray(other), BASE);
            assertArrayEquals(unpacked, other, "unpacked range");
        }
    }

    private static void checkSpan(final Case one, final int count) {
        long low = 0;
        long high = 0;
        for (int i = 0; i < count * one.offsets.length; i++) {
            final long at = userByte(one, i) - BASE;
            low = i == 0 ? at : Math.min(low, at);
            high = i == 0 ? at + 1 : Math.max(high, at + 1);
        }
        assertEquals(low, one.type.first(count), "first");
        assertEquals(high - Math.min(0, low), one.type.span(count), "span");
    }

    @Test
    void shouldPackBetweenAnyTwoKindsOfMemory() {
        final Datatype type = Datatype.vector(5, 1, 2, Datatype.SHORT);
        final byte[] data = Kinds.random(64, 9);
        final byte[] expected = new byte[10];
        for (int i = 0; i < 10; i++) {
            expected[i] = data[3 + i / 2 * 4 + i % 2];
        }
        for (final MemorySegment user : Kinds.memories(64)) {
            MemorySegment.copy(MemorySegment.ofArray(data), 0, user, 0, 64);
            for (final MemorySegment packed : Kinds.memories(32)) {
                type.pack(user, 3, 1, packed, 1);
                assertArrayEquals(expected, packed.asSlice(1, 10).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    @Test
    void shouldRefuseMemoryThatIsTooSmall() {
        final MemorySegment four = MemorySegment.ofArray(new int[4]);
        assertThrows(IndexOutOfBoundsException.class, () -> Datatype.INT.pack(four, 0, 5, MemorySegment.ofArray(new byte[100]), 0));
        assertThrows(IndexOutOfBoundsException.class, () -> Datatype.DOUBLE_INT.unpack(MemorySegment.ofArray(new byte[100]), 0, 2, four, 0));
    }

    @Test
    void shouldMoveMoreThanTwoGibibytesByRange() {
        // a packed position beyond 31 bits without that much memory: with extent 0 all elements are at one place
        final Datatype same = Datatype.resized(Datatype.vector(2, 1, 2, Datatype.INT), 0, 0);
        final int[] user = {1, 2, 3};
        final byte[] packed = new byte[8];
        same.packRange(MemorySegment.ofArray(user), 0, (5L << 32) + 4, 8, MemorySegment.ofArray(packed), 0);
        assertEquals(3, MemorySegment.ofArray(packed).get(ValueLayout.JAVA_INT_UNALIGNED, 0));
        assertEquals(1, MemorySegment.ofArray(packed).get(ValueLayout.JAVA_INT_UNALIGNED, 4));
    }
}
