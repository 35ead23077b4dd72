package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import tutti.runtime.transport.BulkAccess;

/**
 * Access to the memory of a link's peer by libucp, for links whose {@link Devices} transfer without the peer's process.
 *
 * <p><b>Threads.</b> As {@link BulkAccess} says; the link ends exposures on its own thread, so they are in a concurrent set, and each is ended once.
 */
final class UcxBulk implements BulkAccess {
    private final UcxLink link;
    private final UcxContext context;
    private final Set<Exposure> exposures = ConcurrentHashMap.newKeySet();

    UcxBulk(final UcxLink link, final UcxContext context) {
        this.link = link;
        this.context = context;
    }

    /** Memory that is registered with the devices. */
    private final class Exposure implements ExposedMemory {
        private final MemorySegment memory;
        private final long handle;
        private final AtomicBoolean ended = new AtomicBoolean();
        private byte[] key = new byte[0];

        Exposure(final MemorySegment memory, final long handle) {
            this.memory = memory;
            this.handle = handle;
        }

        @Override
        public byte[] key() {
            return key;
        }

        @Override
        public void close() {
            if (ended.compareAndSet(false, true)) {
                exposures.remove(this);
                context.unmap(handle);
            }
        }

        @Override
        public String toString() {
            return "exposed memory of " + memory.byteSize() + " bytes";
        }
    }

    @Override
    public ExposedMemory expose(final MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() < 1) {
            throw new IllegalArgumentException("only native memory of at least one byte can be exposed: bytes=" + memory.byteSize() + ", native="
                + memory.isNative());
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("memory is closed");
        }
        try {
            Exposure exposure = new Exposure(memory, context.map(memory.address(), memory.byteSize()));
            boolean isKeyed = false;
            try {
                exposure.key = new BulkKey(link.token(), memory.address(), memory.byteSize(), context.pack(exposure.handle)).encode();
                isKeyed = true;
            } finally {
                if (!isKeyed) {
                    exposure.close();
                }
            }
            exposures.add(exposure);
            if (link.isEnded()) {
                exposure.close();
            }
            return exposure;
        } catch (IOException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** Ends the exposures that are left, when the link has ended. */
    void close() {
        exposures.forEach(Exposure::close);
    }

    @Override
    public PeerMemory open(final MemorySegment memory, final long offset, final int bytes) {
        BulkKey key = BulkKey.decode(memory, offset, bytes, link.peerToken());
        return new Opened(key.address(), key.length(), new RemoteKey(key.key()));
    }

    @Override
    public boolean hasAtomics(final int bytes) {
        return (bytes == Integer.BYTES || bytes == Long.BYTES) && link.hasAtomics();
    }

    /** Memory of the peer. */
    private final class Opened implements PeerMemory {
        private final long address;
        private final long bytes;
        private final RemoteKey key;
        private boolean closed;

        Opened(final long address, final long bytes, final RemoteKey key) {
            this.address = address;
            this.bytes = bytes;
            this.key = key;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public void get(final long from, final MemorySegment to, final long toOffset, final long count, final Completion end) {
            if (to.isReadOnly()) {
                throw new IllegalArgumentException("memory is read-only");
            }
            transfer(Access.Kind.GET, from, to, toOffset, count, end);
        }

        @Override
        public void put(final long to, final MemorySegment from, final long fromOffset, final long count, final Completion end) {
            transfer(Access.Kind.PUT, to, from, fromOffset, count, end);
        }

        private void transfer(final Access.Kind kind, final long at, final MemorySegment local, final long offset, final long count,
            final Completion end) {
            if (count < 1) {
                throw new IndexOutOfBoundsException("number of bytes out of range: bytes=" + count);
            }
            Objects.checkFromIndexSize(at, count, bytes);
            Objects.checkFromIndexSize(offset, count, local.byteSize());
            if (!local.scope().isAlive()) {
                throw new IllegalStateException("memory is closed");
            }
            begin(Access.transfer(kind, key, address + at, local, offset, count, Objects.requireNonNull(end, "end")));
        }

        @Override
        public void add(final long at, final int size, final long operand, final Completion end) {
            atomic(Access.Kind.ADD, at, size, operand, 0, end);
        }

        @Override
        public void swap(final long at, final int size, final long operand, final Completion end) {
            atomic(Access.Kind.SWAP, at, size, operand, 0, end);
        }

        @Override
        public void compareAndSwap(final long at, final int size, final long expected, final long operand, final Completion end) {
            atomic(Access.Kind.COMPARE_AND_SWAP, at, size, operand, expected, end);
        }

        private void atomic(final Access.Kind kind, final long at, final int size, final long operand, final long expected, final Completion end) {
            if (!hasAtomics(size)) {
                throw new UnsupportedOperationException("no atomic operations of this length: bytes=" + size);
            }
            Objects.checkFromIndexSize(at, size, bytes);
            if ((address + at) % size != 0) {
                throw new IllegalArgumentException("integer is not aligned: offset=" + at + ", bytes=" + size);
            }
            begin(Access.atomic(kind, key, address + at, size, operand, expected, Objects.requireNonNull(end, "end")));
        }

        private void begin(final Access access) {
            if (closed) {
                throw new IllegalStateException("memory of the peer is closed");
            }
            link.begin(access);
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                link.closeKey(key);
            }
        }
    }
}
