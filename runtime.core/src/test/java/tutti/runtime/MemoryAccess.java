package tutti.runtime;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import tutti.runtime.transport.BulkAccess;

/** Access to memory of the same JVM, as that of a peer. The executor carries out the accesses; a task that it drops never ends. */
final class MemoryAccess implements BulkAccess {
    private static final ValueLayout.OfLong KEY = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final VarHandle INTS = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();
    private static final Map<Long, MemorySegment> EXPOSED = new ConcurrentHashMap<>();
    private static final AtomicLong KEYS = new AtomicLong();

    private final Executor executor;
    private final boolean isCopyByCaller;
    private final AtomicInteger writes;
    private volatile IOException failure;

    MemoryAccess(final Executor executor, final boolean isCopyByCaller, final AtomicInteger writes) {
        this.executor = executor;
        this.writes = writes;
        this.isCopyByCaller = isCopyByCaller;
    }

    /** Lets all accesses fail that are carried out from now on. */
    void fail(final IOException why) {
        failure = why;
    }

    @Override
    public ExposedMemory expose(final MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new IllegalArgumentException("not native memory: " + memory);
        }
        final long number = KEYS.incrementAndGet();
        EXPOSED.put(number, memory);
        final byte[] key = new byte[Long.BYTES];
        MemorySegment.ofArray(key).set(KEY, 0, number);
        return new ExposedMemory() {
            @Override
            public byte[] key() {
                return key;
            }

            @Override
            public void close() {
                EXPOSED.remove(number);
            }
        };
    }

    @Override
    public boolean isCopyByCaller() {
        return isCopyByCaller;
    }

    @Override
    public boolean hasAtomics(final int bytes) {
        return bytes == Integer.BYTES || bytes == Long.BYTES;
    }

    @Override
    public PeerMemory open(final MemorySegment memory, final long offset, final int bytes) {
        final MemorySegment known = bytes == Long.BYTES ? EXPOSED.get(memory.get(KEY, offset)) : null;
        if (known == null) {
            throw new IllegalArgumentException("not a key: bytes=" + bytes);
        }
        return new Opened(known);
    }

    private void execute(final Completion end, final AtomicAccess access) {
        executor.execute(() -> {
            final IOException why = failure;
            end.completed(why == null ? access.run() : 0, why);
        });
    }

    /** What an access does; returns the value before it. */
    private interface AtomicAccess {
        long run();
    }

    private final class Opened implements PeerMemory {
        private final MemorySegment memory;

        Opened(final MemorySegment memory) {
            this.memory = memory;
        }

        @Override
        public long bytes() {
            return memory.byteSize();
        }

        @Override
        public void get(final long from, final MemorySegment to, final long toOffset, final long bytes, final Completion end) {
            final MemorySegment source = memory.asSlice(from, bytes);
            final MemorySegment target = to.asSlice(toOffset, bytes);
            execute(end, () -> {
                target.copyFrom(source);
                return 0;
            });
        }

        @Override
        public void put(final long to, final MemorySegment from, final long fromOffset, final long bytes, final Completion end) {
            final MemorySegment target = memory.asSlice(to, bytes);
            final MemorySegment source = from.asSlice(fromOffset, bytes);
            writes.incrementAndGet();
            execute(end, () -> {
                target.copyFrom(source);
                return 0;
            });
        }

        @Override
        public void add(final long at, final int bytes, final long operand, final Completion end) {
            execute(end, () -> bytes == Integer.BYTES ? Integer.toUnsignedLong((int) INTS.getAndAdd(memory, at, (int) operand))
                : (long) LONGS.getAndAdd(memory, at, operand));
        }

        @Override
        public void swap(final long at, final int bytes, final long operand, final Completion end) {
            execute(end, () -> bytes == Integer.BYTES ? Integer.toUnsignedLong((int) INTS.getAndSet(memory, at, (int) operand))
                : (long) LONGS.getAndSet(memory, at, operand));
        }

        @Override
        public void compareAndSwap(final long at, final int bytes, final long expected, final long operand, final Completion end) {
            execute(end, () -> bytes == Integer.BYTES
                ? Integer.toUnsignedLong((int) INTS.compareAndExchange(memory, at, (int) expected, (int) operand))
                : (long) LONGS.compareAndExchange(memory, at, expected, operand));
        }

        @Override
        public void close() {
            // nothing to release
        }
    }
}
