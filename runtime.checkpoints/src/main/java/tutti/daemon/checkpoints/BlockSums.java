package tutti.daemon.checkpoints;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** Sum of bytes: CRC-32C and CRC-32 together, 64 bits, both of which processors compute. For one thread at a time. */
final class BlockSums implements Checksum {
    private static final int STAGE_BYTES = 256 << 10;

    private final CRC32C first = new CRC32C();
    private final CRC32 second = new CRC32();

    @Override
    public void update(final int value) {
        first.update(value);
        second.update(value);
    }

    @Override
    public void update(final byte[] bytes, final int offset, final int length) {
        first.update(bytes, offset, length);
        second.update(bytes, offset, length);
    }

    @Override
    public void update(final ByteBuffer bytes) {
        first.update(bytes.duplicate());
        second.update(bytes);
    }

    @Override
    public long getValue() {
        return first.getValue() << 32 | second.getValue();
    }

    @Override
    public void reset() {
        first.reset();
        second.reset();
    }

    /** Returns the sum of memory of any kind. */
    static long of(final MemorySegment data) {
        final BlockSums sums = new BlockSums();
        try (Stage stage = new Stage()) {
            for (long at = 0; at < data.byteSize(); at += STAGE_BYTES) {
                sums.update(stage.copy(data, at));
            }
        }
        return sums.getValue();
    }

    /** Memory outside the heap through which bytes go to files and sums, since the memory of programs may be of any kind. For one thread. */
    static final class Stage implements AutoCloseable {
        private final Arena arena = Arena.ofConfined();
        private final MemorySegment memory = arena.allocate(STAGE_BYTES, 64);
        private final ByteBuffer buffer = memory.asByteBuffer();

        /** Returns a copy of the next bytes of memory, as many as there is space for. */
        ByteBuffer copy(final MemorySegment data, final long offset) {
            final int bytes = (int) Math.min(STAGE_BYTES, data.byteSize() - offset);
            MemorySegment.copy(data, offset, memory, 0, bytes);
            return buffer.clear().limit(bytes);
        }

        /** Returns the space, of which at most the given number of bytes may be filled. */
        ByteBuffer empty(final long bytes) {
            return buffer.clear().limit((int) Math.min(STAGE_BYTES, bytes));
        }

        /** Copies bytes that were put into the space. */
        void copyTo(final int bytes, final MemorySegment data, final long offset) {
            MemorySegment.copy(memory, 0, data, offset, bytes);
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
