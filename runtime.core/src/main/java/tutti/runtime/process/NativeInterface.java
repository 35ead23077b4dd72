package tutti.runtime.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * An interface of the JVM as C sees it: a pointer to a pointer to a table of functions, the first argument of each being the interface.
 * Pointers are plain numbers here.
 *
 * @param address of the interface
 */
record NativeInterface(long address) {
    static final ValueLayout.OfLong POINTER = ValueLayout.JAVA_LONG;
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

    /** A function of the table that returns an int; {@code arguments} come after the interface. */
    MethodHandle toInt(final int index, final MemoryLayout... arguments) {
        return function(index, FunctionDescriptor.of(INT, arguments));
    }

    /** A function of the table that returns a pointer; {@code arguments} come after the interface. */
    MethodHandle toPointer(final int index, final MemoryLayout... arguments) {
        return function(index, FunctionDescriptor.of(POINTER, arguments));
    }

    /** A function of the table that returns nothing; {@code arguments} come after the interface. */
    MethodHandle toNothing(final int index, final MemoryLayout... arguments) {
        return function(index, FunctionDescriptor.ofVoid(arguments));
    }

    @SuppressWarnings("restricted")
    private MethodHandle function(final int index, final FunctionDescriptor arguments) {
        final long size = ValueLayout.ADDRESS.byteSize();
        final MemorySegment table = MemorySegment.ofAddress(address).reinterpret(size).get(ValueLayout.ADDRESS, 0).reinterpret((index + 1) * size);
        return Linker.nativeLinker().downcallHandle(table.getAtIndex(ValueLayout.ADDRESS, index), arguments.insertArgumentLayouts(0, POINTER));
    }
}
