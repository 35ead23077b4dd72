package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pairs, complex numbers and counts: every public method. */
class PairsTest {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());

    @Test
    void shouldReadAndWriteBothPartsOfPairs() throws Exception {
        final Int2.Data ints = new Int2().getData(buffer, 3);
        ints.putValue(-5);
        ints.putIndex(6);
        assertEquals(-5, buffer.getInt(24));
        assertEquals(6, buffer.getInt(28));
        assertEquals(-5, ints.getValue());
        assertEquals(6, ints.getIndex());
        final ShortInt.Data shorts = new ShortInt().getData(buffer, 2);
        shorts.putValue((short) -7);
        shorts.putIndex(8);
        assertEquals(-7, buffer.getShort(16));
        assertEquals(8, buffer.getInt(20));
        assertEquals(-7, shorts.getValue());
        assertEquals(8, shorts.getIndex());
        final LongInt.Data longs = new LongInt().getData(buffer, 2);
        longs.putValue(-1L << 40);
        longs.putIndex(9);
        assertEquals(-1L << 40, buffer.getLong(32));
        assertEquals(9, buffer.getInt(40));
        assertEquals(-1L << 40, longs.getValue());
        assertEquals(9, longs.getIndex());
        final FloatInt.Data floats = new FloatInt().getData(buffer, 1);
        floats.putValue(0.5f);
        floats.putIndex(10);
        assertEquals(0.5f, buffer.getFloat(8));
        assertEquals(10, buffer.getInt(12));
        assertEquals(0.5f, floats.getValue());
        assertEquals(10, floats.getIndex());
        final DoubleInt.Data doubles = new DoubleInt().getData(buffer, 3);
        doubles.putValue(-0.25);
        doubles.putIndex(11);
        assertEquals(-0.25, buffer.getDouble(48));
        assertEquals(11, buffer.getInt(56));
        assertEquals(-0.25, doubles.getValue());
        assertEquals(11, doubles.getIndex());
        assertEquals(16, doubles.getBuffer().capacity());
    }

    @Test
    void shouldHaveThePredefinedTypesOfPairs() throws Exception {
        final String[] names = {"MPI_INT2", "MPI_SHORT_INT", "MPI_LONG_INT", "MPI_FLOAT_INT", "MPI_DOUBLE_INT"};
        final Struct[] pairs = {new Int2(), new ShortInt(), new LongInt(), new FloatInt(), new DoubleInt()};
        final int[] sizes = {8, 6, 12, 8, 12};
        for (int i = 0; i < pairs.length; i++) {
            assertEquals(names[i], pairs[i].getType().getName());
            assertEquals(sizes[i], pairs[i].getType().getSize());
            assertEquals(pairs[i].getExtent(), pairs[i].getType().getExtent());
            assertTrue(pairs[i].getType().isCommitted());
        }
    }

    @Test
    void shouldReadAndWriteComplexNumbersOfFloats() {
        final float[] array = new float[8];
        final FloatBuffer floats = FloatBuffer.wrap(array);
        final List<FloatComplex> first = List.of(FloatComplex.get(array), FloatComplex.get(floats));
        final List<FloatComplex> third = List.of(FloatComplex.get(array, 2), FloatComplex.get(floats, 2));
        for (int i = 0; i < 2; i++) {
            first.get(i).putReal(i + 1);
            first.get(i).putImag(i + 2);
            third.get(i).putReal(i + 3);
            third.get(i).putImag(i + 4);
            assertEquals(List.of(i + 1f, i + 2f, i + 3f, i + 4f), List.of(array[0], array[1], array[4], array[5]));
            assertEquals(i + 1, first.get(i).getReal());
            assertEquals(i + 2, first.get(i).getImag());
            assertEquals(i + 3, third.get(i).getReal());
            assertEquals(i + 4, third.get(i).getImag());
            assertEquals(i + 3, third.get(i).getBuffer().get(0));
            assertEquals(4, third.get(i).getBuffer().capacity());
        }
        FloatComplex.get(buffer).putImag(7);
        FloatComplex.get(buffer, 1).putImag(8);
        assertEquals(7, buffer.getFloat(4));
        assertEquals(8, buffer.getFloat(12));
        // a buffer of the other byte order
        assertEquals(8, FloatComplex.get(buffer.duplicate().order(ByteOrder.BIG_ENDIAN), 1).getImag());
    }

    @Test
    void shouldReadAndWriteComplexNumbersOfDoubles() {
        final double[] array = new double[8];
        final DoubleBuffer doubles = DoubleBuffer.wrap(array);
        final List<DoubleComplex> first = List.of(DoubleComplex.get(array), DoubleComplex.get(doubles));
        final List<DoubleComplex> third = List.of(DoubleComplex.get(array, 2), DoubleComplex.get(doubles, 2));
        for (int i = 0; i < 2; i++) {
            first.get(i).putReal(i + 1);
            first.get(i).putImag(i + 2);
            third.get(i).putReal(i + 3);
            third.get(i).putImag(i + 4);
            assertEquals(List.of(i + 1.0, i + 2.0, i + 3.0, i + 4.0), List.of(array[0], array[1], array[4], array[5]));
            assertEquals(i + 1, first.get(i).getReal());
            assertEquals(i + 4, third.get(i).getImag());
            assertEquals(i + 3, third.get(i).getBuffer().get(0));
        }
        DoubleComplex.get(buffer).putReal(7);
        DoubleComplex.get(buffer, 1).putReal(8);
        assertEquals(7, buffer.getDouble(0));
        assertEquals(8, buffer.getDouble(16));
        assertEquals(8, DoubleComplex.get(buffer, 1).getBuffer().get(0));
    }

    @Test
    void shouldCountInLongs() {
        final Count count = new Count(5);
        assertEquals(5, count.getCount());
        count.setCount(1L << 40);
        assertEquals(new Count(1L << 40), count);
        assertEquals(new Count(1L << 40).hashCode(), count.hashCode());
        assertNotEquals(new Count(0), count);
        assertNotEquals("x", count);
        assertTrue(count.compareTo(new Count(5)) > 0);
        assertEquals(0, count.compareTo(new Count(1L << 40)));
        final List<Count> sorted = new ArrayList<>(List.of(count, new Count(-1), new Count(7)));
        sorted.sort(null);
        assertEquals(List.of(new Count(-1), new Count(7), count), sorted);
        assertEquals("1099511627776", count.toString());
    }

    @Test
    void shouldRefuseInvalidStatusElements() {
        final Status status = new Status(new tutti.runtime.model.Status(0, 0, 0, false));
        final Datatype type = Datatype.predefined(tutti.runtime.datatype.Datatype.INT);
        assertEquals(MPI.ERR_ARG, assertThrows(MPIException.class, () -> status.setElements(type, -1)).getErrorClass());
        assertEquals(MPI.ERR_TYPE, assertThrows(MPIException.class, () -> status.setElementsX(null, new Count(1))).getErrorClass());
        assertThrows(MPIException.class, () -> status.getElements(null));
    }

    @Test
    void shouldNameTheMissingFormOfAUserFunction() {
        final UserFunction none = new UserFunction() {};
        final Datatype type = Datatype.predefined(tutti.runtime.datatype.Datatype.INT);
        final MPIException arrays = assertThrows(MPIException.class, () -> none.call(new int[1], new int[1], 1, type));
        assertTrue(arrays.getMessage().contains("does not take arrays"), arrays.getMessage());
        final MPIException buffers = assertThrows(MPIException.class, () -> none.call(buffer, buffer, 1, type));
        assertTrue(buffers.getMessage().contains("does not take buffers"), buffers.getMessage());
        assertEquals(MPI.ERR_OP, buffers.getErrorClass());
    }

    @Test
    void shouldKeepCommittedTypesAndTheirCopies() throws Exception {
        final Datatype made = Datatype.createContiguous(2, Datatype.predefined(tutti.runtime.datatype.Datatype.INT));
        assertEquals(List.of(false, false), List.of(made.isCommitted(), made.dup().isCommitted()));
        made.commit();
        made.commit();
        assertEquals(List.of(true, true), List.of(made.isCommitted(), made.clone().isCommitted()));
        assertEquals(false, Datatype.createContiguous(1, made).isCommitted());
    }
}
