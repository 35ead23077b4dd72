package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of field, alone and as an array, in every kind of buffer. */
class StructFieldsTest {
    private final Everything everything = new Everything();

    /** A structure of two doubles. */
    private static final class Point extends Struct {
        private final int x = addDouble();
        private final int y = addDouble();

        @Override
        protected Data newData() {
            return new Data();
        }

        private final class Data extends Struct.Data {
            double sum() {
                return getDouble(x) + getDouble(y);
            }

            void put(final double vx, final double vy) {
                putDouble(x, vx);
                putDouble(y, vy);
            }
        }
    }

    private static final class Everything extends Struct {
        private final Point point = new Point();
        private final int aByte = addByte();
        private final int bytes = addByte(2);
        private final int aChar = addChar();
        private final int chars = addChar(2);
        private final int aShort = addShort();
        private final int shorts = addShort(2);
        private final int anInt = addInt();
        private final int ints = addInt(2);
        private final int aLong = addLong();
        private final int longs = addLong(2);
        private final int aFloat = addFloat();
        private final int floats = addFloat(2);
        private final int aDouble = addDouble();
        private final int doubles = addDouble(2);
        private int aPoint;
        private int points;
        private int aPair;
        private int pairs;
        private final Datatype pair;

        Everything() {
            try {
                pair = Datatype.createContiguous(2, Datatype.predefined(tutti.runtime.datatype.Datatype.SHORT));
                aPoint = addStruct(point);
                points = addStruct(point, 2);
                aPair = addData(pair);
                pairs = addData(pair, 2);
            } catch (final MPIException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        protected Data newData() {
            return new Data();
        }

        private final class Data extends Struct.Data {
            void fill(final int v) {
                putByte(aByte, (byte) v);
                putByte(bytes, 1, (byte) (v + 1));
                putChar(aChar, (char) (v + 2));
                putChar(chars, 1, (char) (v + 3));
                putShort(aShort, (short) (v + 4));
                putShort(shorts, 1, (short) (v + 5));
                putInt(anInt, v + 6);
                putInt(ints, 1, v + 7);
                putLong(aLong, v + 8);
                putLong(longs, 1, v + 9);
                putFloat(aFloat, v + 10);
                putFloat(floats, 1, v + 11);
                putDouble(aDouble, v + 12);
                putDouble(doubles, 1, v + 13);
                this.<Point.Data>getData(point, aPoint).put(v, 14);
                this.<Point.Data>getData(point, points, 1).put(v, 15);
                getBuffer(pair, aPair).putShort(2, (short) (v + 16));
                getBuffer(pair, pairs, 1).putShort(2, (short) (v + 17));
            }

            double[] content() {
                return new double[] {getByte(aByte), getByte(bytes, 1), getChar(aChar), getChar(chars, 1), getShort(aShort), getShort(shorts, 1),
                    getInt(anInt), getInt(ints, 1), getLong(aLong), getLong(longs, 1), getFloat(aFloat), getFloat(floats, 1), getDouble(aDouble),
                    getDouble(doubles, 1), this.<Point.Data>getData(point, aPoint).sum(), this.<Point.Data>getData(point, points, 1).sum(),
                    getBuffer(pair, aPair).getShort(2), getBuffer(pair, pairs, 1).getShort(2)};
            }
        }
    }

    @Test
    void shouldPlaceFieldsOneAfterTheOther() throws Exception {
        final int[] offsets = {everything.aByte, everything.bytes, everything.aChar, everything.chars, everything.aShort, everything.shorts,
            everything.anInt, everything.ints, everything.aLong, everything.longs, everything.aFloat, everything.floats, everything.aDouble,
            everything.doubles, everything.aPoint, everything.points, everything.aPair, everything.pairs, everything.getType().getSize()};
        final int[] lengths = {1, 2, 2, 4, 2, 4, 4, 8, 8, 16, 4, 8, 8, 16, 16, 32, 4, 8};
        for (int i = 0; i < lengths.length; i++) {
            assertEquals(lengths[i], offsets[i + 1] - offsets[i], "field " + i);
        }
        assertEquals(everything.getType().getSize() + 5, everything.getExtent());
        assertEquals(0, everything.getExtent() % 8);
        assertEquals(0, everything.getType().getTrueLb());
        assertSame(everything.getType(), everything.getType());
        assertTrue(everything.getType().isCommitted());
    }

    static Stream<ByteBuffer> buffers() {
        return Stream.of(ByteBuffer.allocate(1000), ByteBuffer.allocateDirect(1000), ByteBuffer.allocate(1000).order(ByteOrder.nativeOrder()),
            ByteBuffer.wrap(new byte[1100], 60, 1000).slice(), ByteBuffer.allocateDirect(1003).position(3).slice());
    }

    @ParameterizedTest
    @MethodSource("buffers")
    void shouldReadWhatItWrote(final ByteBuffer buffer) throws Exception {
        final Everything.Data first = everything.getData(buffer);
        final Everything.Data third = everything.getData(buffer, 2);
        first.fill(5);
        third.fill(-90);
        check(5, first.content());
        check(-90, everything.<Everything.Data>getData(buffer, 2).content());
        final ByteBuffer rest = third.getBuffer();
        assertEquals(1000 - 2 * everything.getExtent(), rest.capacity());
        assertEquals(-90 + 6, rest.getInt(everything.anInt));
    }

    @Test
    void shouldReadWhatItWroteInArrays() throws Exception {
        final byte[] array = new byte[1000];
        everything.<Everything.Data>getData(array).fill(7);
        everything.<Everything.Data>getData(array, 1).fill(70);
        check(7, everything.<Everything.Data>getData(array, 0).content());
        check(70, everything.<Everything.Data>getData(array, 1).content());
    }

    private static void check(final int v, final double[] content) {
        for (int i = 0; i < content.length; i++) {
            assertEquals(i == 2 || i == 3 ? (char) (v + i) : v + i, content[i], "field " + i);
        }
    }

    @Test
    void shouldSkipToGivenOffsets() throws Exception {
        final Point point = new Point();
        assertThrows(IllegalArgumentException.class, () -> point.setOffset(-8));
        assertSame(point, point.setOffset(100));
        assertEquals(100, point.addByte());
        assertEquals(104, point.getExtent());
        assertEquals(17, point.getType().getSize());
        assertThrows(IllegalArgumentException.class, () -> new Point().addInt(-1));
    }
}
