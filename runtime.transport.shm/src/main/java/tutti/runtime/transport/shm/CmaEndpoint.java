package tutti.runtime.transport.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link as far as it accesses the memory of the peer's process: the probe, then the transfers.
 *
 * <p>The probe tells whether the process with the peer's number is the peer: it may be another one if the peer lives in another PID namespace. So the
 * peer sends the address of random bytes and these bytes. Who reads the same at the address, writes them behind.
 *
 * <p><b>Threads.</b> One thread at a time transfers. Any thread may close it: from then on transfers fail, and {@link #close} waits for one that is
 * under way, at most for the time of a piece.
 */
final class CmaEndpoint implements AutoCloseable {
    static final int PROBE = 16;
    /** Most bytes of one call of the system, so that a link that closes need not wait long. */
    private static final long PIECE = 4 << 20;
    /** Length of the native memory through which memory on the heap is copied. */
    private static final int STAGING = 128 << 10;
    private static final int VECTOR = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final ProcessMemory functions;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment probe = arena.allocate(2 * PROBE, ValueLayout.JAVA_LONG.byteAlignment());
    private final MemorySegment error = arena.allocate(ProcessMemory.ERROR);
    private final MemorySegment vectors = arena.allocate(2 * VECTOR, ValueLayout.JAVA_LONG.byteAlignment());
    private final byte[] random = new byte[PROBE];
    /** Number of transfers under way, nested ones included. */
    private final AtomicInteger users = new AtomicInteger();
    private @Nullable MemorySegment staging;
    private Identity peer = Identity.NONE;
    private volatile boolean closed;

    /**
     * How the peer's process is accessed.
     *
     * @param address address of the random bytes of the probe
     * @param random  these bytes; the first half is also the secret of the keys that the peer makes
     */
    record Identity(long pid, long address, byte[] random) {
        static final Identity NONE = new Identity(0, 0, new byte[PROBE]);
    }

    CmaEndpoint(final ProcessMemory functions) {
        this.functions = functions;
        RANDOM.nextBytes(random);
        MemorySegment.copy(random, 0, probe, ValueLayout.JAVA_BYTE, 0, PROBE);
    }

    /** Returns how the peer accesses this process. */
    Identity identity() {
        return new Identity(ProcessHandle.current().pid(), probe.address(), random);
    }

    /** Returns the secret of the keys of this side or of the peer. */
    long secret(final boolean own) {
        return MemorySegment.ofArray(own ? random : peer.random).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    /** Sets the peer, and returns whether its memory can be read and written. */
    boolean probe(final Identity other, final String name) {
        peer = other;
        int failure = ProcessMemory.ESRCH;
        try (Arena temporary = Arena.ofConfined()) {
            final MemorySegment read = temporary.allocate(PROBE);
            if (other.pid > 0 && other.pid <= Integer.MAX_VALUE) {
                if (move(true, other.address, read.address(), PROBE) != PROBE) {
                    failure = ProcessMemory.errno(error);
                } else if (Arrays.equals(read.toArray(ValueLayout.JAVA_BYTE), other.random)) {
                    failure = move(false, other.address + PROBE, read.address(), PROBE) == PROBE ? 0 : ProcessMemory.errno(error);
                }
            }
        }
        functions.tell(failure, name);
        return failure == 0;
    }

    private long move(final boolean reads, final long remote, final long local, final long bytes) {
        vectors.set(ValueLayout.JAVA_LONG, 0, local);
        vectors.set(ValueLayout.JAVA_LONG, 8, bytes);
        vectors.set(ValueLayout.JAVA_LONG, VECTOR, remote);
        vectors.set(ValueLayout.JAVA_LONG, VECTOR + 8, bytes);
        return functions.transfer(reads, error, (int) peer.pid, vectors.address(), vectors.address() + VECTOR);
    }

    /** Announces a transfer; returns false when the link is closed. {@link #leave} must follow in any case. */
    boolean enter() {
        users.incrementAndGet();
        return !closed;
    }

    /** Ends what {@link #enter} began. */
    void leave() {
        users.decrementAndGet();
    }

    /** Copies between memory of this process, native or on the heap, and the peer's. */
    void transfer(final boolean reads, final long remote, final MemorySegment local, final long at, final long bytes) throws IOException {
        if (local.isNative()) {
            transferNative(reads, remote, local.address() + at, bytes);
            return;
        }
        MemorySegment through = staging;
        if (through == null) {
            through = arena.allocate(STAGING, Record.ALIGN);
            staging = through;
        }
        for (long done = 0; done < bytes;) {
            final long piece = Math.min(STAGING, bytes - done);
            if (!reads) {
                MemorySegment.copy(local, at + done, through, 0, piece);
            }
            transferNative(reads, remote + done, through.address(), piece);
            if (reads) {
                MemorySegment.copy(through, 0, local, at + done, piece);
            }
            done += piece;
        }
    }

    private void transferNative(final boolean reads, final long remote, final long local, final long bytes) throws IOException {
        for (long done = 0; done < bytes;) {
            if (closed) {
                throw closed();
            }
            final long moved = move(reads, remote + done, local + done, Math.min(PIECE, bytes - done));
            if (moved <= 0) {
                final int number = ProcessMemory.errno(error);
                throw new IOException(
                    "memory of the peer cannot be accessed" + (number == ProcessMemory.ESRCH ? ", its process has ended" : "") + ": pid="
                        + peer.pid + ", errno=" + number);
            }
            done += moved;
        }
    }

    /** Returns why an access fails after the end of the link. */
    static IOException closed() {
        return new IOException("the link is closed");
    }

    @Override
    public void close() {
        closed = true;
        while (users.get() > 0) {
            Thread.yield();
        }
        arena.close();
    }
}
