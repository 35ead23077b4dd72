package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DatatypeTest {
    private static final Datatype INT = Datatype.predefined(tutti.runtime.datatype.Datatype.INT);
    private static final Datatype DOUBLE = Datatype.predefined(tutti.runtime.datatype.Datatype.DOUBLE);
    private static final Datatype COMPLEX = Datatype.predefined(tutti.runtime.datatype.Datatype.DOUBLE_COMPLEX);

    private static Status received(final long bytes) {
        return new Status(new tutti.runtime.model.Status(3, 4, bytes, false));
    }

    @Test
    void shouldCountInElementsOfTheBaseType() throws Exception {
        final Datatype column = Datatype.createVector(3, 2, 5, DOUBLE);
        assertEquals(6, column.getSize());
        assertEquals(12, column.getExtent());
        assertEquals(12, Datatype.createHVector(3, 2, 40, DOUBLE).getExtent());
        assertEquals(2, COMPLEX.getExtent());
        assertEquals(20, Datatype.createResized(column, 0, 160).getExtent());
        assertEquals(-2, Datatype.createResized(column, -16, 160).getLb());
        final Datatype struct = Datatype.createStruct(new int[] {1, 2}, new int[] {0, 8}, new Datatype[] {INT, DOUBLE});
        assertEquals(20, struct.getSize());
        assertEquals(24, struct.getExtent());
        assertEquals(7, Datatype.createIndexed(new int[] {1, 2}, new int[] {0, 5}, INT).getExtent());
        assertEquals(7, Datatype.createHIndexed(new int[] {1, 2}, new int[] {0, 20}, INT).getExtent());
        assertEquals(MPI.UNDEFINED, Datatype.createContiguous(Integer.MAX_VALUE, Datatype.createContiguous(2, INT)).getSize());
    }

    @Test
    void shouldTakeBoundsInBytesAndReturnThemInElementsOfTheBaseType() throws Exception {
        assertEquals(1, Datatype.createResized(INT, 0, 4).getExtent());
        assertEquals(2, Datatype.createResized(COMPLEX, 0, 16).getExtent());
        assertEquals(1L << 38, Datatype.createResized(INT, 0L, 1L << 40).getExtentX().getCount());
        // what is no whole number of elements is cut off, as by a division of ints
        final Datatype odd = Datatype.createResized(INT, -6, 10);
        assertEquals(-1, odd.getLb());
        assertEquals(2, odd.getExtent());
        final Datatype bytes = Datatype.createResized(Datatype.createStruct(new int[] {1}, new int[] {8}, new Datatype[] {INT}), -3, 30);
        assertEquals(-3, bytes.getLb());
        assertEquals(30, bytes.getExtent());
        assertEquals(8, bytes.getTrueLb());
        assertEquals(4, bytes.getTrueExtent());
    }

    @Test
    void shouldReturnNegativeBounds() throws Exception {
        final Datatype backwards = Datatype.createVector(3, 1, -2, DOUBLE);
        assertEquals(-4, backwards.getLb());
        assertEquals(-4, backwards.getTrueLb());
        assertEquals(5, backwards.getExtent());
        assertEquals(5, backwards.getTrueExtent());
        final Datatype resized = Datatype.createResized(backwards, -48, 72);
        assertEquals(-6, resized.getLb());
        assertEquals(9, resized.getExtent());
        assertEquals(-4, resized.getTrueLb());
        assertEquals(new Count(-4), resized.getTrueLbX());
        assertEquals(5, resized.getTrueExtent());
        assertEquals(new Count(5), resized.getTrueExtentX());
        assertEquals(27, Datatype.createContiguous(3, resized).getExtent());
        assertEquals(-6, Datatype.createContiguous(3, resized).getLb());
        final Datatype nothing = Datatype.createContiguous(0, DOUBLE);
        assertEquals(0, nothing.getSize() + nothing.getExtent() + nothing.getLb() + nothing.getTrueLb() + nothing.getTrueExtent());
    }

    @Test
    void shouldFreeDerivedTypesOnly() throws Exception {
        final Datatype made = Datatype.createContiguous(2, INT);
        final Datatype copy = made.dup();
        final Datatype clone = made.clone();
        made.commit();
        made.free();
        assertTrue(made.isNull());
        assertEquals(2, copy.getSize());
        assertEquals(2, clone.getSize());
        assertFalse(copy.isNull());
        final MPIException e = assertThrows(MPIException.class, made::getSize);
        assertEquals(MPI.ERR_TYPE, e.getErrorClass());
        assertEquals("datatype was freed: type=contiguous(2,INT)", e.getMessage());
        assertEquals("predefined datatype cannot be freed: type=MPI_INT", assertThrows(MPIException.class, INT::free).getMessage());
    }

    @Test
    void shouldRefuseInvalidArguments() {
        assertEquals(MPI.ERR_COUNT, assertThrows(MPIException.class, () -> Datatype.createContiguous(-1, INT)).getErrorClass());
        assertEquals(MPI.ERR_TYPE, assertThrows(MPIException.class, () -> Datatype.createContiguous(1, null)).getErrorClass());
        assertEquals(MPI.ERR_ARG, assertThrows(MPIException.class, () -> Datatype.createIndexed(new int[1], null, INT)).getErrorClass());
    }

    @Test
    void shouldTruncateLongNames() throws Exception {
        final Datatype made = Datatype.createContiguous(2, INT);
        assertEquals("", made.getName());
        made.setName("x".repeat(100));
        assertEquals(63, made.getName().length());
        assertEquals("MPI_INT", INT.getName());
    }

    @Test
    void shouldCountReceivedElements() throws Exception {
        final Datatype struct = Datatype.createStruct(new int[] {1, 2}, new int[] {0, 8}, new Datatype[] {INT, DOUBLE});
        assertEquals(3, received(12).getCount(INT));
        assertEquals(MPI.UNDEFINED, received(13).getCount(INT));
        assertEquals(MPI.UNDEFINED, received(1L << 40).getCount(INT));
        assertEquals(2, received(40).getCount(struct));
        assertEquals(6, received(40).getElements(struct));
        assertEquals(MPI.UNDEFINED, received(32).getCount(struct));
        assertEquals(5, received(32).getElements(struct));
        assertEquals(MPI.UNDEFINED, received(30).getElements(struct));
        assertEquals(new Count(1L << 38), received(1L << 40).getElementsX(INT));
        assertEquals(0, received(0).getCount(Datatype.createContiguous(0, INT)));
        assertEquals(MPI.UNDEFINED, received(4).getCount(Datatype.createContiguous(0, INT)));
        assertThrows(MPIException.class, () -> received(4).getCount(null));
    }

    @Test
    void shouldReturnElementsThatWereSet() throws Exception {
        final Datatype struct = Datatype.createStruct(new int[] {1, 2}, new int[] {0, 8}, new Datatype[] {INT, DOUBLE});
        final Status status = received(0);
        status.setElements(struct, 5);
        assertEquals(5, status.getElements(struct));
        assertEquals(32, status.getCount(Datatype.predefined(tutti.runtime.datatype.Datatype.BYTE)));
        status.setElementsX(INT, new Count(1L << 35));
        assertEquals(1L << 35, status.getElementsX(INT).getCount());
        status.setCancelled(true);
        assertTrue(status.isCancelled());
        assertEquals(3, status.getSource());
        assertEquals(4, status.getTag());
        assertEquals(MPI.UNDEFINED, status.getIndex());
        assertEquals(MPI.SUCCESS, status.getError());
    }
}
