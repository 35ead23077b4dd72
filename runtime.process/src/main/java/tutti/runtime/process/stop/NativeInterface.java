package tutti.runtime.process.stop;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A native interface of the JVM: in C, a pointer to a pointer to a table of functions. The first argument of each function is the interface.
 * Pointers are represented as plain numbers.
 *
 * @param address address of the interface
 */
record NativeInterface(long address) {
    static final ValueLayout.OfLong POINTER = ValueLayout.JAVA_LONG;
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

    /** Returns a function of the table that returns an int; {@code arguments} follow the interface. */
    MethodHandle toInt(final int index, final MemoryLayout... arguments) {
        return function(index, FunctionDescriptor.of(INT, arguments));
    }

    /** Returns a function of the table that returns a pointer; {@code arguments} follow the interface. */
    MethodHandle toPointer(final int index, final MemoryLayout... arguments) {
        return function(index, FunctionDescriptor.of(POINTER, arguments));
    }

    /** Returns a function of the table that returns nothing; {@code arguments} follow the interface. */
    MethodHandle toVoid(final int index, final MemoryLayout... arguments) {
        return function(index, FunctionDescriptor.ofVoid(arguments));
    }

    @SuppressWarnings("restricted")
    private MethodHandle function(final int index, final FunctionDescriptor arguments) {
        final long size = ValueLayout.ADDRESS.byteSize();
        final MemorySegment table = MemorySegment.ofAddress(address).reinterpret(size).get(ValueLayout.ADDRESS, 0).reinterpret((index + 1) * size);
        return Linker.nativeLinker().downcallHandle(table.getAtIndex(ValueLayout.ADDRESS, index), arguments.insertArgumentLayouts(0, POINTER));
    }
}
