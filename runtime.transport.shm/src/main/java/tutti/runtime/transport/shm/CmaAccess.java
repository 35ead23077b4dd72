package tutti.runtime.transport.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.BulkAccess;

/**
 * Access to the memory of a link's peer by functions of the system. An access is complete when the call returns.
 *
 * <p>A key is the address, the length and a secret of the link, three longs.
 *
 * <p><b>Threads.</b> One thread at a time, as {@link BulkAccess} demands.
 */
final class CmaAccess implements BulkAccess {
    private static final int KEY = 3 * Long.BYTES;

    private final CmaEndpoint endpoint;

    CmaAccess(final CmaEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @Override
    public boolean isCopyByCaller() {
        return true;
    }

    @Override
    public ExposedMemory expose(final MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new IllegalArgumentException("memory cannot be exposed, it is on the heap or empty: bytes=" + memory.byteSize());
        }
        final byte[] key = new byte[KEY];
        final MemorySegment words = MemorySegment.ofArray(key);
        words.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, memory.address());
        words.set(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES, memory.byteSize());
        words.set(ValueLayout.JAVA_LONG_UNALIGNED, 2 * Long.BYTES, endpoint.secret(true));
        return new Exposed(key);
    }

    @Override
    public PeerMemory open(final MemorySegment memory, final long offset, final int bytes) {
        if (bytes != KEY || memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + 2 * Long.BYTES) != endpoint.secret(false)) {
            throw new IllegalArgumentException("not a key of this link's peer: bytes=" + bytes);
        }
        final long address = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
        final long length = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + Long.BYTES);
        if (address <= 0 || length < 1 || length > Long.MAX_VALUE - address) {
            throw new IllegalArgumentException("not a key of this link's peer: length=" + length);
        }
        return new Opened(endpoint, address, length);
    }

    /** Memory that needs nothing to be exposed, and nothing to end that. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Exposed(byte[] key) implements ExposedMemory {
        @Override
        public void close() {
            // the peer is told not to access the memory any more
        }
    }

    /** Memory of the peer. */
    private record Opened(CmaEndpoint endpoint, long address, long bytes) implements PeerMemory {
        @Override
        public void get(final long from, final MemorySegment to, final long toOffset, final long count, final Completion end) {
            if (to.isReadOnly()) {
                throw new IllegalArgumentException("memory is read-only");
            }
            access(true, from, to, toOffset, count, end);
        }

        @Override
        public void put(final long to, final MemorySegment from, final long fromOffset, final long count, final Completion end) {
            access(false, to, from, fromOffset, count, end);
        }

        private void access(final boolean reads, final long at, final MemorySegment local, final long localAt, final long count,
            final Completion end) {
            if (count < 1) {
                throw new IllegalArgumentException("number of bytes out of range: bytes=" + count + ", min=1");
            }
            Objects.checkFromIndexSize(at, count, bytes);
            Objects.checkFromIndexSize(localAt, count, local.byteSize());
            if (!local.scope().isAlive() || !local.isAccessibleBy(Thread.currentThread())) {
                throw new IllegalStateException("memory cannot be accessed by this thread: alive=" + local.scope().isAlive());
            }
            final boolean open = endpoint.enter();
            try {
                end.completed(0, open ? transfer(reads, address + at, local, localAt, count) : CmaEndpoint.closed());
            } finally {
                endpoint.leave(); // after the completion: the link waits for it before it reports its end
            }
        }

        private @Nullable IOException transfer(final boolean reads, final long remote, final MemorySegment local, final long at, final long count) {
            try {
                endpoint.transfer(reads, remote, local, at, count);
                return null;
            } catch (final IOException e) {
                return e;
            }
        }

        @Override
        public void close() {
            // nothing is held
        }
    }
}
