package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class StructTest {
    private final Particle particle = new Particle();

    private static final class Particle extends Struct {
        private final DoubleInt pair = new DoubleInt();
        private final int kind = addByte();
        private final int mass = addDouble();
        private final int place = addFloat(3);
        private final int best;
        private final int end = addShort();

        Particle() {
            best = place(pair);
        }

        private int place(final Struct struct) {
            try {
                return addStruct(struct, 2);
            } catch (final MPIException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            void fill(final int i) {
                putByte(kind, (byte) i);
                putDouble(mass, i + 0.5);
                for (int k = 0; k < 3; k++) {
                    putFloat(place, k, i * 10 + k);
                }
                final DoubleInt.Data second = getData(pair, best, 1);
                second.putValue(-i);
                second.putIndex(i);
                putShort(end, (short) -i);
            }

            double mass() {
                return getDouble(mass);
            }
        }
    }

    @Test
    void shouldLayFieldsOutOneAfterTheOther() throws Exception {
        assertEquals(0, particle.kind);
        assertEquals(1, particle.mass);
        assertEquals(9, particle.place);
        assertEquals(21, particle.end);
        assertEquals(23, particle.best);
        assertEquals(23 + 2 * 16 + 1, particle.getExtent());
        assertEquals(particle.getExtent(), particle.getType().getExtent());
        assertEquals(1 + 8 + 12 + 2 + 2 * 12, particle.getType().getSize());
    }

    @Test
    void shouldReadAndWriteFieldsOfStructuresInBuffersOfAnyOrder() throws Exception {
        final ByteBuffer big = ByteBuffer.allocateDirect(3 * particle.getExtent()).order(ByteOrder.BIG_ENDIAN);
        final byte[] array = new byte[big.capacity()];
        for (int i = 0; i < 3; i++) {
            particle.<Particle.Data>getData(big, i).fill(i);
            particle.<Particle.Data>getData(array, i).fill(i);
        }
        final byte[] copy = new byte[array.length];
        big.get(copy);
        assertArrayEquals(array, copy);
        assertEquals(2.5, particle.<Particle.Data>getData(array, 2).mass());
        assertEquals(0.5, particle.<Particle.Data>getData(big).mass());
        final ByteBuffer raw = ByteBuffer.wrap(array).order(ByteOrder.nativeOrder());
        final int start = 2 * particle.getExtent();
        assertEquals(21f, raw.getFloat(start + particle.place + 4));
        assertEquals(-2.0, raw.getDouble(start + particle.best + 16));
        assertEquals(2, raw.getInt(start + particle.best + 16 + 8));
        assertEquals((short) -2, raw.getShort(start + particle.end));
    }

    @Test
    void shouldReturnTheBufferThatBeginsWithTheStructure() throws Exception {
        final ByteBuffer buffer = ByteBuffer.allocate(2 * particle.getExtent()).order(ByteOrder.nativeOrder());
        final Particle.Data second = particle.getData(buffer, 1);
        second.fill(7);
        assertEquals(particle.getExtent(), second.getBuffer().capacity());
        assertEquals(7.5, second.getBuffer().getDouble(particle.mass));
    }

    @Test
    void shouldRefuseFieldsAfterTheTypeWasMade() throws Exception {
        particle.getType();
        assertThrows(IllegalStateException.class, () -> particle.addInt());
        assertThrows(IllegalArgumentException.class, () -> particle.setOffset(-1));
    }

    @Test
    void shouldPlaceFieldsAtGivenOffsets() throws Exception {
        final Struct gaps = new Struct() {
            @Override
            protected Data newData() {
                return null;
            }
        };
        assertEquals(4, gaps.setOffset(4).addShort());
        assertEquals(16, gaps.setOffset(16).addLong());
        assertEquals(0, gaps.getType().getLb());
        assertEquals(24, gaps.getType().getExtent());
        assertEquals(4, gaps.getType().getTrueLb());
        assertEquals(20, gaps.getType().getTrueExtent());
        assertEquals(10, gaps.getType().getSize());
    }

    @Test
    void shouldPadTheEndAsC() throws Exception {
        final Struct padded = new Struct() {
            @Override
            protected Data newData() {
                return null;
            }
        };
        final Datatype byteType = Datatype.predefined(tutti.runtime.datatype.Datatype.BYTE);
        final Datatype doubleType = Datatype.predefined(tutti.runtime.datatype.Datatype.DOUBLE);
        assertEquals(0, padded.addDouble());
        assertEquals(8, padded.addByte());
        assertEquals(16, padded.getExtent());
        final Datatype type = padded.getType();
        assertEquals(16, type.getExtent());
        assertEquals(Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8}, new Datatype[] {doubleType, byteType}).getExtent(), type.getExtent());
        assertEquals(104, Datatype.createStruct(new int[] {1, 1}, new int[] {0, 100}, new Datatype[] {type, byteType}).getExtent());
    }

    @Test
    void shouldLayPairsOutAsC() throws Exception {
        final LongInt longInt = new LongInt();
        final byte[] array = new byte[32];
        final LongInt.Data second = longInt.getData(array, 1);
        second.putValue(-5);
        second.putIndex(9);
        assertEquals(-5, ByteBuffer.wrap(array).order(ByteOrder.nativeOrder()).getLong(16));
        assertEquals(9, ByteBuffer.wrap(array).order(ByteOrder.nativeOrder()).getInt(24));
        assertEquals(9, second.getIndex());
        assertEquals(8, new ShortInt().getExtent());
        assertEquals(8, new Int2().getExtent());
        assertEquals(8, new FloatInt().getExtent());
        assertEquals(16, new DoubleInt().getExtent());
        assertEquals("MPI_LONG_INT", longInt.getType().getName());
    }

    @Test
    void shouldReadAndWriteComplexNumbers() {
        final double[] values = {1, 2, 3, 4};
        DoubleComplex.get(values, 1).putImag(9);
        assertEquals(3, DoubleComplex.get(values, 1).getReal());
        assertEquals(9, values[3]);
        final ByteBuffer bytes = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        FloatComplex.get(bytes, 1).putReal(5);
        assertEquals(5f, bytes.getFloat(8));
        assertEquals(2, FloatComplex.get(bytes, 1).getBuffer().capacity());
        assertEquals(4, FloatComplex.get(new float[4]).getBuffer().capacity());
    }
}
