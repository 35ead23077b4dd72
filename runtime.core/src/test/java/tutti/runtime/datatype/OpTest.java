package tutti.runtime.datatype;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

class OpTest {
    /** in - inout on the first int of each element: neither commutative nor symmetric, so swapped operands show. */
    private static final UserReduction MINUS = (in, inout, count, type) -> {
        for (long i = 0; i < count; i++) {
            final long at = i * type.extent();
            inout.set(ValueLayout.JAVA_INT_UNALIGNED, at,
                in.get(ValueLayout.JAVA_INT_UNALIGNED, at) - inout.get(ValueLayout.JAVA_INT_UNALIGNED, at));
        }
    };

    @Test
    void shouldRefuseExactlyWhatTheStandardDoesNotDefine() {
        for (final Op op : Kinds.OPS) {
            for (final Datatype type : Kinds.BASIC) {
                if (Model.isLegal(op, type)) {
                    assertEquals(type.size(), op.bind(type).elementBytes());
                    assertSame(op.bind(type), op.bind(type));
                    assertSame(op.bind(type), op.bind(type.dup()));
                } else {
                    failsWith(ErrorClass.OP, "operation not defined on type: op=" + op + ", type=" + type, op, type);
                }
            }
        }
    }

    @Test
    void shouldSayWhyATypeIsRefused() {
        failsWith(ErrorClass.OP, "operation not defined on type: op=BAND, type=DOUBLE", Op.BAND, Datatype.DOUBLE);
        failsWith(ErrorClass.OP, "operation not defined on type: op=SUM, type=PACKED", Op.SUM, Datatype.PACKED);
        failsWith(ErrorClass.OP, "predefined operation on a derived type: op=SUM, type=contiguous(2,INT), use a user-defined operation",
            Op.SUM, Datatype.contiguous(2, Datatype.INT));
        failsWith(ErrorClass.TYPE, "datatype is NULL", Op.SUM, Datatype.NULL);
        failsWith(ErrorClass.TYPE, "datatype is null", Op.SUM, null);
    }

    private static void failsWith(final ErrorClass errorClass, final String message, final Op op, final Datatype type) {
        final MpiFailure failure = assertThrows(MpiFailure.class, () -> op.bind(type));
        assertEquals(message, failure.getMessage());
        assertEquals(errorClass, failure.errorClass());
    }

    @Test
    void shouldReplaceElementsOfDerivedTypes() {
        final BoundReduction replace = Op.REPLACE.bind(Datatype.contiguous(3, Datatype.BYTE));
        final byte[] to = {1, 1, 1, 1, 1, 1};
        replace.apply(MemorySegment.ofArray(new byte[] {7, 8, 9}), 0, MemorySegment.ofArray(to), 3, 1);
        assertArrayEquals(new byte[] {1, 1, 1, 7, 8, 9}, to);
    }

    @Test
    void shouldIdentifyOperationsForOneSidedCommunication() {
        for (final Op op : Kinds.OPS) {
            assertEquals(op == Op.REPLACE || op == Op.NO_OP, op.isForWindows());
        }
    }

    @Test
    void shouldTakeTypesWithoutData() {
        final Op never = Op.user("never", true, (in, inout, count, type) -> {
            throw new AssertionError("called");
        });
        final BoundReduction bound = never.bind(Datatype.resized(Datatype.contiguous(0, Datatype.INT), 0, 8));
        assertEquals(1, bound.elementBytes());
        bound.apply(MemorySegment.ofArray(new byte[0]), 0, MemorySegment.ofArray(new byte[0]), 0, 0);
    }

    @Test
    void shouldSayWhetherOperandsMayBeSwapped() {
        assertTrue(Op.SUM.isCommutative());
        assertTrue(Op.SUM.bind(Datatype.INT).isCommutative());
        assertFalse(Op.REPLACE.isCommutative());
        assertFalse(Op.user("minus", false, MINUS).bind(Datatype.INT).isCommutative());
    }

    @Test
    void shouldEqualByOperationAndType() {
        final Op minus = Op.user("minus", false, MINUS);
        final BoundReduction onInt = minus.bind(Datatype.INT);
        assertNotEquals(onInt, minus.bind(Datatype.LONG));
        final Datatype pair = Datatype.contiguous(2, Datatype.INT);
        final BoundReduction onPair = minus.bind(pair);
        assertNotEquals(onPair, minus.bind(pair.dup()));
        assertEquals(onPair, minus.bind(pair));
        assertEquals(onPair.hashCode(), minus.bind(pair).hashCode());
        assertSame(onInt, minus.bind(Datatype.INT));
        assertNotEquals(Op.SUM.bind(Datatype.INT), Op.MAX.bind(Datatype.INT));
        assertEquals("minus(INT)", onInt.toString());
    }

    @Test
    void shouldGiveMemoryOfTheFastestKind() {
        assertEquals(3, ((double[]) Op.SUM.bind(Datatype.DOUBLE).newMemory(17).heapBase().orElseThrow()).length);
        assertTrue(Op.MAXLOC.bind(Datatype.INT2).newMemory(8).heapBase().orElseThrow() instanceof byte[]);
    }

    @Test
    void shouldApplyUserOperationsToContiguousTypesInAnyMemory() {
        final BoundReduction minus = Op.user("minus", false, MINUS).bind(Datatype.INT);
        for (final MemorySegment a : Kinds.memories(64)) {
            for (final MemorySegment b : Kinds.memories(64)) {
                for (int i = 0; i < 5; i++) {
                    a.set(ValueLayout.JAVA_INT_UNALIGNED, 6 + 4 * i, 100 * i);
                    b.set(ValueLayout.JAVA_INT_UNALIGNED, 2 + 4 * i, i);
                }
                minus.apply(a.asReadOnly(), 6, b, 2, 5);
                for (int i = 0; i < 5; i++) {
                    assertEquals(99 * i, b.get(ValueLayout.JAVA_INT_UNALIGNED, 2 + 4 * i));
                }
            }
        }
    }

    @Test
    void shouldLetUserOperationsSeeElementsAsTheTypeLaysThemOut() {
        final List<Datatype> types = List.of(Datatype.resized(Datatype.INT, 0, 12),
            Datatype.struct(new long[] {1, 1}, new long[] {8, 24}, Datatype.INT, Datatype.SHORT),
            Datatype.hindexed(new long[] {1}, new long[] {-20}, Datatype.INT), Datatype.resized(Datatype.INT, 0, -16));
        for (final Datatype type : types) {
            final int n = 5000;
            final int size = (int) type.size();
            final MemorySegment a = Arena.ofAuto().allocate((long) n * size);
            final MemorySegment b = MemorySegment.ofArray(new long[n * size / 8 + 1]);
            for (int i = 0; i < n; i++) {
                a.set(ValueLayout.JAVA_INT_UNALIGNED, (long) i * size, 3 * i);
                b.set(ValueLayout.JAVA_INT_UNALIGNED, (long) i * size, i);
            }
            Op.user("minus", false, (in, inout, count, t) -> {
                assertEquals(t.span(count), in.byteSize());
                for (long i = 0; i < count; i++) {
                    final long at = i * t.extent() + t.trueLowerBound() - Math.min(0, t.first(count));
                    inout.asByteBuffer().order(java.nio.ByteOrder.nativeOrder()).putInt((int) at,
                        in.get(ValueLayout.JAVA_INT_UNALIGNED, at) - inout.get(ValueLayout.JAVA_INT_UNALIGNED, at));
                }
            }).bind(type).apply(a, 0, b, 0, n);
            for (int i = 0; i < n; i++) {
                assertEquals(2 * i, b.get(ValueLayout.JAVA_INT_UNALIGNED, (long) i * size), type.name());
            }
        }
    }

    @Test
    void shouldRefuseElementsThatNoByteBufferHolds() {
        final Datatype large = Datatype.contiguous(1L << 31, Datatype.BYTE);
        failsWith(ErrorClass.TYPE, "element too large for a user-defined operation: bytes=2147483648, at most 2147483647, "
            + "type=contiguous(2147483648,BYTE)", Op.user("minus", false, MINUS), large);
    }

    @Test
    void shouldKeepLoopsTooLargeToBeInlined() throws Exception {
        final List<String> small = new ArrayList<>();
        for (final Class<?> kernel : Arrays.asList(ByteReductionKernel.class, CharReductionKernel.class, ShortReductionKernel.class,
            IntReductionKernel.class, LongReductionKernel.class,
            FloatReductionKernel.class, DoubleReductionKernel.class)) {
            try (var in = kernel.getResourceAsStream(kernel.getSimpleName() + ".class")) {
                ClassFile.of().parse(in.readAllBytes()).methods().stream().filter(m -> m.methodName().equalsString("run"))
                    .flatMap(m -> m.code().stream()).map(CodeAttribute.class::cast)
                    .filter(code -> code.codeLength() <= 325).forEach(code -> small.add(kernel.getSimpleName()));
            }
        }
        assertEquals(List.of(), small);
    }
}
