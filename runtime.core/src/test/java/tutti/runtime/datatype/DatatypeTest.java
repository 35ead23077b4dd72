package tutti.runtime.datatype;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Tests of sizes, bounds and type maps. */
class DatatypeTest {

    @Test
    void shouldHaveTheSizesAndExtentsOfTheBindings() {
        predefined(Datatype.BYTE, "BYTE", 1, 1, 1);
        predefined(Datatype.CHAR, "CHAR", 2, 2, 2);
        predefined(Datatype.SHORT, "SHORT", 2, 2, 2);
        predefined(Datatype.BOOLEAN, "BOOLEAN", 1, 1, 1);
        predefined(Datatype.INT, "INT", 4, 4, 4);
        predefined(Datatype.LONG, "LONG", 8, 8, 8);
        predefined(Datatype.FLOAT, "FLOAT", 4, 4, 4);
        predefined(Datatype.DOUBLE, "DOUBLE", 8, 8, 8);
        predefined(Datatype.PACKED, "PACKED", 1, 1, 1);
        predefined(Datatype.FLOAT_COMPLEX, "FLOAT_COMPLEX", 8, 8, 4);
        predefined(Datatype.DOUBLE_COMPLEX, "DOUBLE_COMPLEX", 16, 16, 8);
        predefined(Datatype.INT2, "INT2", 8, 8, 1);
        predefined(Datatype.SHORT_INT, "SHORT_INT", 6, 8, 1);
        predefined(Datatype.LONG_INT, "LONG_INT", 12, 16, 1);
        predefined(Datatype.FLOAT_INT, "FLOAT_INT", 8, 8, 1);
        predefined(Datatype.DOUBLE_INT, "DOUBLE_INT", 12, 16, 1);
        predefined(Datatype.NULL, "NULL", 0, 0, 0);
    }

    private static void predefined(final Datatype type, final String name, final long size, final long extent, final long baseSize) {
        assertEquals(name, type.name());
        assertEquals(size, type.size(), name);
        assertEquals(extent, type.extent(), name);
        assertEquals(0, type.lowerBound(), name);
        assertEquals(0, type.trueLowerBound(), name);
        assertEquals(baseSize, type.baseSize(), name);
        assertEquals(size == extent, type.isContiguous(), name);
        assertEquals(type == Datatype.NULL, type.isNull(), name);
    }

    @Test
    void shouldEndTheTrueExtentWithTheData() {
        assertEquals(12, Datatype.DOUBLE_INT.trueExtent());
        assertEquals(8, Datatype.SHORT_INT.trueExtent());
        assertEquals(8, Datatype.INT2.trueExtent());
    }

    @Test
    void shouldFollowTheStandardsExamples() {
        // MPI standard, section on derived datatypes: oldtype {(double, 0), (char, 8)} with extent 16; char is one byte in C
        final Datatype old = Datatype.struct(new long[] {1, 1}, new long[] {0, 8}, Datatype.DOUBLE, Datatype.BYTE);
        assertLayout(old, 9, 0, 16, 0, 9);
        assertLayout(Datatype.contiguous(3, old), 27, 0, 48, 0, 41);
        assertLayout(Datatype.vector(2, 3, 4, old), 54, 0, 112, 0, 105);
        assertLayout(Datatype.vector(3, 1, -2, old), 27, -64, 80, -64, 73);
        assertLayout(Datatype.indexed(new long[] {3, 1}, new long[] {4, 0}, old), 36, 0, 112, 0, 105);
        final Datatype type1 = Datatype.struct(new long[] {2, 1, 3}, new long[] {0, 16, 26}, Datatype.FLOAT, old, Datatype.BYTE);
        assertLayout(type1, 20, 0, 32, 0, 29);
    }

    /** Bounds are given as lower bound and extent, true bounds as first byte and length. */
    private static void assertLayout(final Datatype type, final long size, final long lowerBound, final long extent, final long trueLow,
        final long trueExtent) {
        assertEquals("size=" + size + " lb=" + lowerBound + " extent=" + extent + " tlb=" + trueLow + " true=" + trueExtent,
            "size=" + type.size() + " lb=" + type.lowerBound() + " extent=" + type.extent() + " tlb=" + type.trueLowerBound()
                + " true=" + type.trueExtent(),
            type.name());
    }

    @Test
    void shouldKeepExplicitBoundsInWhatIsBuiltOnThem() {
        final Datatype wide = Datatype.resized(Datatype.INT, -4, 16);
        assertLayout(wide, 4, -4, 16, 0, 4);
        assertLayout(Datatype.contiguous(2, wide), 8, -4, 32, 0, 20);
        // the byte is outside of the explicit bounds of the other component, which win
        assertLayout(Datatype.struct(new long[] {1, 1}, new long[] {0, 100}, wide, Datatype.BYTE), 5, -4, 16, 0, 101);
        assertLayout(Datatype.resized(wide, 0, 4), 4, 0, 4, 0, 4);
        assertTrue(Datatype.resized(wide, 0, 4).isContiguous());
    }

    @Test
    void shouldKeepColumnsOfMatricesSmall() {
        final Datatype column = Datatype.vector(1_000_000_000L, 1, 1000, Datatype.DOUBLE);
        assertEquals(1, column.typeBlocks().length);
        assertEquals(8_000_000_000L, column.size());
        assertEquals(1, Datatype.contiguous(1_000_000_000_000L, Datatype.DOUBLE).typeBlocks().length);
        assertEquals(1, Datatype.hvector(50, 1, 1000, Datatype.vector(10, 1, 2, Datatype.INT)).typeBlocks()[0].repeat() / 10);
        assertEquals(50, Datatype.hvector(50, 1, 1000, Datatype.vector(10, 1, 2, Datatype.INT)).typeBlocks().length);
    }

    @Test
    void shouldJoinRunsThatTouch() {
        final Datatype ints = Datatype.indexed(new long[] {1, 1, 1, 2, 1}, new long[] {0, 2, 4, 5, 9}, Datatype.INT);
        // 0, 2, 4 are one strided block, until 5 touches 4
        assertEquals(3, ints.typeBlocks().length);
        assertEquals(new TypeBlock(0, 4, 8, 2, ElementKind.INT), ints.typeBlocks()[0]);
        assertEquals(new TypeBlock(16, 12, 0, 1, ElementKind.INT), ints.typeBlocks()[1]);
        assertEquals(new TypeBlock(36, 4, 0, 1, ElementKind.INT), ints.typeBlocks()[2]);
        final Datatype mixed = Datatype.struct(new long[] {1, 1}, new long[] {0, 8}, Datatype.DOUBLE, Datatype.LONG);
        assertEquals(2, mixed.typeBlocks().length);
        assertTrue(mixed.isContiguous());
    }

    @Test
    void shouldCountInBaseTypes() {
        assertSame(Datatype.FLOAT, Datatype.contiguous(2, Datatype.FLOAT_COMPLEX).baseType());
        assertSame(Datatype.BYTE, Datatype.struct(new long[] {1}, new long[] {0}, Datatype.INT).baseType());
        assertSame(Datatype.INT, Datatype.resized(Datatype.vector(2, 1, 2, Datatype.INT), 0, 16).baseType());
        assertSame(Datatype.INT, Datatype.INT.dup().baseType());
    }

    @Test
    void shouldDuplicateWithAnIdentityOfItsOwn() {
        final Datatype dup = Datatype.DOUBLE_INT.dup();
        assertNotEquals(Datatype.DOUBLE_INT, dup);
        assertEquals(ElementKind.DOUBLE_INT, dup.elementKind());
        assertLayout(dup, 12, 0, 16, 0, 12);
        assertEquals(ElementKind.NONE, Datatype.contiguous(1, Datatype.INT).elementKind());
    }

    @Test
    void shouldSpanFromTheFirstByteToTheLastOne() {
        assertEquals(0, Datatype.DOUBLE_INT.span(0));
        assertEquals(12, Datatype.DOUBLE_INT.span(1));
        assertEquals(44, Datatype.DOUBLE_INT.span(3));
        final Datatype shifted = Datatype.hindexed(new long[] {1}, new long[] {8}, Datatype.INT);
        assertEquals(16, shifted.span(2));
        assertEquals(8, shifted.first(2));
        final Datatype before = Datatype.hindexed(new long[] {1}, new long[] {-8}, Datatype.INT);
        assertEquals(4, before.span(1));
        assertEquals(-8, before.first(1));
        final Datatype backwards = Datatype.resized(Datatype.INT, 0, -8);
        assertEquals(-16, backwards.first(3));
        assertEquals(20, backwards.span(3));
        assertEquals(0, Datatype.contiguous(0, Datatype.INT).span(100));
    }

    @Test
    void shouldBeEmptyWithoutBlocks() {
        assertLayout(Datatype.contiguous(0, Datatype.INT), 0, 0, 0, 0, 0);
        assertLayout(Datatype.vector(3, 0, 7, Datatype.INT), 0, 0, 0, 0, 0);
        assertLayout(Datatype.indexed(new long[] {0, 1}, new long[] {99, 1}, Datatype.INT), 4, 4, 4, 4, 4);
        assertFalse(Datatype.indexed(new long[] {0, 1}, new long[] {99, 1}, Datatype.INT).isContiguous());
    }

    @Test
    void shouldCountComplexNumbersAsOneAndPairsAsTwo() {
        assertEquals(1, Datatype.FLOAT_COMPLEX.elements(8));
        assertEquals(-1, Datatype.FLOAT_COMPLEX.elements(4));
        assertEquals(3, Datatype.contiguous(3, Datatype.DOUBLE_COMPLEX).elements(48));
        assertEquals(2, Datatype.DOUBLE_INT.elements(12));
        assertEquals(1, Datatype.DOUBLE_INT.elements(8));
        assertEquals(2, Datatype.INT2.elements(8));
        final Datatype mixed = Datatype.struct(new long[] {1, 2}, new long[] {0, 8}, Datatype.FLOAT, Datatype.DOUBLE_COMPLEX);
        assertEquals(2, mixed.elements(20));
        assertEquals(20, mixed.elementBytes(2));
    }

    @Test
    void shouldReachFarBeyondTwoGibibytes() {
        final Datatype far = Datatype.indexed(new long[] {1, 1}, new long[] {Integer.MIN_VALUE, Integer.MAX_VALUE}, Datatype.DOUBLE);
        assertLayout(far, 16, -(8L << 31), 8 * ((1L << 32) - 1) + 8, -(8L << 31), 8 * ((1L << 32) - 1) + 8);
        assertEquals(9L << 40, Datatype.contiguous(9L << 10, Datatype.contiguous(1 << 30, Datatype.BYTE)).extent());
    }

    @Test
    void shouldNameDerivedTypesAfterHowTheyWereMade() {
        assertEquals("vector(3,2,4,contiguous(2,DOUBLE))", Datatype.vector(3, 2, 4, Datatype.contiguous(2, Datatype.DOUBLE)).toString());
        assertEquals("struct(1)", Datatype.struct(new long[] {1}, new long[] {0}, Datatype.INT).name());
    }

    @Test
    void shouldRefuseBadArguments() {
        failsWith(ErrorClass.COUNT, "count is negative: count=-2", () -> Datatype.contiguous(-2, Datatype.INT));
        failsWith(ErrorClass.COUNT, "count is negative: count=-1", () -> Datatype.vector(-1, 1, 1, Datatype.INT));
        failsWith(ErrorClass.ARG, "block length is negative: block=0, length=-1", () -> Datatype.hvector(1, -1, 1, Datatype.INT));
        failsWith(ErrorClass.ARG, "block length is negative: block=1, length=-3",
            () -> Datatype.indexed(new long[] {1, -3}, new long[2], Datatype.INT));
        failsWith(ErrorClass.ARG, "number of displacements differs from number of block lengths: displacements=1, blocks=2",
            () -> Datatype.hindexed(new long[2], new long[1], Datatype.INT));
        failsWith(ErrorClass.ARG, "number of displacements differs from number of block lengths: displacements=null, blocks=2",
            () -> Datatype.indexed(new long[2], null, Datatype.INT));
        failsWith(ErrorClass.ARG, "number of types differs from number of blocks: types=1, blocks=2",
            () -> Datatype.struct(new long[2], new long[2], Datatype.INT));
        failsWith(ErrorClass.TYPE, "datatype is NULL", () -> Datatype.contiguous(1, Datatype.NULL));
        failsWith(ErrorClass.TYPE, "datatype is null", () -> Datatype.indexed(new long[1], new long[1], null));
        failsWith(ErrorClass.TYPE, "datatype is NULL", () -> Datatype.struct(new long[1], new long[1], Datatype.NULL));
        failsWith(ErrorClass.TYPE, "datatype is NULL", () -> Datatype.NULL.dup());
        failsWith(ErrorClass.ARG, "type exceeds 63 bits: type=contiguous(9223372036854775807,INT)",
            () -> Datatype.contiguous(Long.MAX_VALUE, Datatype.INT));
        failsWith(ErrorClass.ARG, "type exceeds 63 bits: type=hvector(3,1,9223372036854775807,INT)",
            () -> Datatype.hvector(3, 1, Long.MAX_VALUE, Datatype.INT));
        failsWith(ErrorClass.TYPE, "type is too irregular: at most 4194304 blocks",
            () -> Datatype.hvector(1L << 40, 1, 1000, Datatype.struct(new long[] {1, 2}, new long[] {0, 16}, Datatype.INT, Datatype.BYTE)));
    }

    private static void failsWith(final ErrorClass errorClass, final String message, final Executable call) {
        final MpiFailure failure = assertThrows(MpiFailure.class, call);
        assertEquals(message, failure.getMessage());
        assertEquals(errorClass, failure.errorClass());
    }
}
