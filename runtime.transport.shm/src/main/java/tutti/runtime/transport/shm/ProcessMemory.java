package tutti.runtime.transport.shm;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The functions of Linux that read and write the memory of another process (cross memory attach).
 *
 * <p>Safe for any thread.
 */
final class ProcessMemory {
    static final StructLayout ERROR = Linker.Option.captureStateLayout();
    /** Errors of Linux. */
    static final int EPERM = 1;
    static final int ESRCH = 3;
    static final int EFAULT = 14;
    private static final Logger LOG = LoggerFactory.getLogger(ProcessMemory.class);
    private static final VarHandle ERRNO = ERROR.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final MethodHandle read;
    private final MethodHandle write;
    private final AtomicBoolean told = new AtomicBoolean();

    private ProcessMemory(final MethodHandle read, final MethodHandle write) {
        this.read = read;
        this.write = write;
    }

    /** Looks up the functions, which takes milliseconds. Returns null where there are none, or native access is denied. */
    @SuppressWarnings("restricted") // called only where the container permits it
    static @Nullable ProcessMemory find() {
        if (!ProcessMemory.class.getModule().isNativeAccessEnabled()) {
            LOG.debug("memory of peers is not accessed: native access is not enabled in this process");
            return null;
        }
        final Linker linker;
        try {
            linker = Linker.nativeLinker();
        } catch (final UnsupportedOperationException e) {
            LOG.debug("memory of peers is not accessed: this platform has no native linker", e);
            return null;
        }
        final SymbolLookup symbols = linker.defaultLookup();
        final Optional<MemorySegment> read = symbols.find("process_vm_readv");
        final Optional<MemorySegment> write = symbols.find("process_vm_writev");
        if (read.isEmpty() || write.isEmpty()) {
            LOG.debug("memory of peers is not accessed: the C library has no process_vm_readv");
            return null;
        }
        final FunctionDescriptor function = FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
        final Linker.Option errno = Linker.Option.captureCallState("errno");
        return new ProcessMemory(linker.downcallHandle(read.get(), function, errno), linker.downcallHandle(write.get(), function, errno));
    }

    /**
     * Reads or writes memory of a process; parts may be left.
     *
     * @param error  receives the error
     * @param local  address of the vector of this process's memory, of one part
     * @param remote address of the vector of the other one's memory, of one part
     * @return the number of bytes; negative on an error
     */
    long transfer(final boolean reads, final MemorySegment error, final int pid, final long local, final long remote) {
        try {
            return reads ? (long) read.invokeExact(error, pid, local, 1L, remote, 1L, 0L)
                : (long) write.invokeExact(error, pid, local, 1L, remote, 1L, 0L);
        } catch (final Throwable e) {
            throw new IllegalStateException("a function of the system cannot be called: " + e, e);
        }
    }

    /** Returns the error of the last transfer. */
    static int errno(final MemorySegment error) {
        return (int) ERRNO.get(error, 0L);
    }

    /** Logs once in the life of a transport whether the memory of peers is accessed, with the error of the first attempt; 0 for none. */
    void tell(final int error, final String peer) {
        if (!told.compareAndSet(false, true)) {
            return;
        }
        switch (error) {
            case 0 -> LOG.info("memory of peers is accessed by process_vm_readv and process_vm_writev");
            case EPERM -> LOG.info("memory of peers is not accessed, large messages are copied twice: not permitted: peer={};"
                + " set kernel.yama.ptrace_scope=0, in a container also add the capability SYS_PTRACE or permit process_vm_readv in its seccomp"
                + " profile", peer);
            case ESRCH, EFAULT -> LOG.info("memory of peers is not accessed, large messages are copied twice: the peer is in another PID namespace:"
                + " peer={}; let containers share it, as docker run --pid does", peer);
            default -> LOG.info("memory of peers is not accessed, large messages are copied twice: peer={}, errno={}", peer, error);
        }
    }
}
