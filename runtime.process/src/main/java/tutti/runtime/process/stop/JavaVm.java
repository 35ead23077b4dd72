package tutti.runtime.process.stop;

import static tutti.runtime.process.stop.NativeInterface.INT;
import static tutti.runtime.process.stop.NativeInterface.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** Access to JNI and JVMTI of the current JVM, through the JVM's own library. */
final class JavaVm {
    static final int JNI = 0x0015_0000;
    static final int JVMTI = 0x3015_0000;

    /** Found once: a program may clear the property that names the JVM's folder. */
    static final Path LIBRARY = libraryPath();

    private static final int GET_ENV = 6;

    private final NativeInterface vm;
    private final MethodHandle getEnv;

    /**
     * Finds the current JVM.
     *
     * @throws Throwable when this JVM does not offer access: the library or its function is missing, or native access is denied
     */
    @SuppressWarnings("restricted")
    JavaVm() throws Throwable {
        final SymbolLookup library = SymbolLookup.libraryLookup(LIBRARY, Arena.global());
        final MethodHandle created = Linker.nativeLinker().downcallHandle(library.findOrThrow("JNI_GetCreatedJavaVMs"),
            FunctionDescriptor.of(INT, POINTER, INT, POINTER));
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment found = arena.allocate(POINTER);
            check("JNI_GetCreatedJavaVMs", (int) created.invokeExact(found.address(), 1, arena.allocate(INT).address()));
            vm = new NativeInterface(found.get(POINTER, 0));
        }
        getEnv = vm.toInt(GET_ENV, POINTER, INT);
    }

    private static Path libraryPath() {
        final Path home = Path.of(System.getProperty("java.home"));
        final String file = System.mapLibraryName("jvm");
        return file.endsWith(".dll") ? home.resolve("bin", "server", file) : home.resolve("lib", "server", file);
    }

    /** Returns an interface for the current thread: {@link #JNI}, or {@link #JVMTI}, which is a new environment for each call. */
    NativeInterface env(final int version) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment found = arena.allocate(POINTER);
            check("GetEnv", (int) getEnv.invokeExact(vm.address(), found.address(), version));
            return new NativeInterface(found.get(POINTER, 0));
        }
    }

    /** Throws unless a function of the JVM returned 0. */
    static void check(final String function, final int result) {
        if (result != 0) {
            throw new IllegalStateException("JVM function failed: function=" + function + ", result=" + result);
        }
    }
}
