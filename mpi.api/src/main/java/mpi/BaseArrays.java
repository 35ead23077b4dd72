package mpi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import tutti.runtime.datatype.UserMemory;

/** Conversions between memory and arrays of the base type of a datatype. */
final class BaseArrays {
    private BaseArrays() {}

    /** Returns a new array with the contents of the memory. */
    static Object of(final MemorySegment memory, final tutti.runtime.datatype.Datatype type) {
        return switch (type.baseType().elementKind()) {
            case CHAR -> memory.toArray(ValueLayout.JAVA_CHAR_UNALIGNED);
            case SHORT -> memory.toArray(ValueLayout.JAVA_SHORT_UNALIGNED);
            case INT -> memory.toArray(ValueLayout.JAVA_INT_UNALIGNED);
            case LONG -> memory.toArray(ValueLayout.JAVA_LONG_UNALIGNED);
            case FLOAT -> memory.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
            case DOUBLE -> memory.toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED);
            case BOOLEAN -> booleans(memory);
            default -> memory.toArray(ValueLayout.JAVA_BYTE);
        };
    }

    /** Copies an array to memory of the same size. */
    static void copy(final Object array, final MemorySegment to) {
        to.copyFrom(UserMemory.of(array));
    }

    private static boolean[] booleans(final MemorySegment memory) {
        final boolean[] values = new boolean[Math.toIntExact(memory.byteSize())];
        for (int i = 0; i < values.length; i++) {
            values[i] = memory.get(ValueLayout.JAVA_BYTE, i) != 0;
        }
        return values;
    }
}
