package tutti.runtime.file;

import java.lang.foreign.MemorySegment;

/**
 * Reads and writes the data of one rank. Each block of a view is written alone, so that nothing between blocks is touched. Blocks that are close to
 * each other are read together with what is between them.
 */
final class IndependentAccess {
    /** Length of the pieces in which data with gaps in memory is packed. */
    private static final long PIECE = 1 << 20;
    /** Most bytes that are read at once for several blocks. */
    private static final long SIEVE = 1 << 19;
    /** Blocks are read together when at least one byte of so many is data. */
    private static final long DENSITY = 8;

    private final DiskFile file;
    private final ViewMap map;
    private final boolean sieves;

    IndependentAccess(final DiskFile file, final ViewMap map, final boolean sieves) {
        this.file = file;
        this.map = map;
        this.sieves = sieves;
    }

    /** Writes data from a position of the view on. */
    void write(final long position, final FileData data) {
        if (data.isInOnePiece()) {
            write(position, data.bytes(), data.memory());
            return;
        }
        final MemorySegment piece = Scratch.allocate(Math.min(PIECE, data.bytes()));
        for (long done = 0; done < data.bytes(); done += PIECE) {
            final long n = Math.min(PIECE, data.bytes() - done);
            data.pack(done, n, piece, 0);
            write(position + done, n, piece);
        }
    }

    private void write(final long position, final long bytes, final MemorySegment from) {
        final long[] done = {0};
        map.blocks(position, bytes, (offset, length, stride, repeat) -> {
            for (long i = 0; i < repeat; i++) {
                file.write(offset + i * stride, from, done[0], length);
                done[0] += length;
            }
        });
    }

    /** Reads data from a position of the view on; returns how many bytes there were. */
    long read(final long position, final FileData data) {
        if (data.isInOnePiece()) {
            return read(position, data.bytes(), data.memory());
        }
        final MemorySegment piece = Scratch.allocate(Math.min(PIECE, data.bytes()));
        long done = 0;
        while (done < data.bytes()) {
            final long wanted = Math.min(PIECE, data.bytes() - done);
            final long n = read(position + done, wanted, piece);
            data.unpack(piece, 0, done, n);
            done += n;
            if (n < wanted) {
                break;
            }
        }
        return done;
    }

    private long read(final long position, final long bytes, final MemorySegment to) {
        if (bytes == 0) {
            return 0;
        }
        if (map.isContiguous()) {
            return file.read(map.offset(position), to, 0, bytes);
        }
        final Blocks blocks = new Blocks(to, map.offset(position + bytes - 1) + 1);
        blocks.isSieved = sieves && (blocks.end - map.offset(position)) / DENSITY <= bytes;
        map.blocks(position, bytes, (offset, length, stride, repeat) -> {
            for (long i = 0; i < repeat && !blocks.isShort; i++) {
                blocks.read(offset + i * stride, length);
            }
        });
        return blocks.done;
    }

    /** The blocks of a read, one after the other. */
    private final class Blocks {
        private final MemorySegment to;
        private final long end;
        private boolean isSieved;
        private boolean isShort;
        private long done;
        /** Bytes of the file that were read at once, for several blocks. */
        private MemorySegment sieve = MemorySegment.NULL;
        private long sieveAt;
        private long sieveBytes;

        Blocks(final MemorySegment to, final long end) {
            this.to = to;
            this.end = end;
        }

        void read(final long offset, final long length) {
            final long n = isSieved && length < SIEVE / 2 ? sieved(offset, length) : file.read(offset, to, done, length);
            done += n;
            isShort = n < length;
        }

        private long sieved(final long offset, final long length) {
            if (offset < sieveAt || offset + length > sieveAt + sieveBytes) {
                sieve = sieve.byteSize() == 0 ? Scratch.allocate(SIEVE) : sieve;
                sieveAt = offset;
                sieveBytes = file.read(offset, sieve, 0, Math.max(length, Math.min(SIEVE, end - offset)));
            }
            final long n = Math.min(length, sieveAt + sieveBytes - offset);
            MemorySegment.copy(sieve, offset - sieveAt, to, done, n);
            return n;
        }
    }
}
