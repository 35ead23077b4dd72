package tutti.runtime.program;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * An interface of the JVM as C sees it: a pointer to a pointer to a table of functions, the first argument of each being the interface.
 *
 * @param self  the interface
 * @param table its functions
 */
record NativeInterface(MemorySegment self, MemorySegment table) {
    static final AddressLayout ADDRESS = ValueLayout.ADDRESS;
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

    /** The interface at an address; {@code functions} is how many of its functions may be asked for. */
    @SuppressWarnings("restricted")
    static NativeInterface at(final MemorySegment address, final int functions) {
        final MemorySegment self = address.reinterpret(ADDRESS.byteSize());
        return new NativeInterface(self, self.get(ADDRESS, 0).reinterpret(functions * ADDRESS.byteSize()));
    }

    /** A function of the table that returns an int; the interface is its first argument. */
    MethodHandle toInt(final int index, final MemoryLayout... arguments) {
        return function(index, FunctionDescriptor.of(INT, arguments));
    }

    /** A function of the table that returns a pointer; the interface is its first argument. */
    MethodHandle toAddress(final int index, final MemoryLayout... arguments) {
        return function(index, FunctionDescriptor.of(ADDRESS, arguments));
    }

    @SuppressWarnings("restricted")
    private MethodHandle function(final int index, final FunctionDescriptor arguments) {
        return Linker.nativeLinker().downcallHandle(table.getAtIndex(ADDRESS, index), arguments.insertArgumentLayouts(0, ADDRESS));
    }
}
