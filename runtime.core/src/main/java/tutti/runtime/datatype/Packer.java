package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Moves elements of one layout between user memory and packed memory, either way. Immutable.
 *
 * <p>Ranges are given in packed bytes and may begin and end inside of an element.
 */
final class Packer {
    /** Of elements that are moved run by run. */
    private static final int SMALL_BYTES = 1024;
    /** So many elements at a time, so that they stay in the cache from run to run. */
    private static final int FEW = 256;

    private final TypeBlock[] runs;
    private final long size;
    private final long extent;
    private final boolean contiguous;
    private final boolean small;

    Packer(final TypeMap layout) {
        final TypeBlockList joined = new TypeBlockList();
        for (final TypeBlock run : layout.runs()) {
            joined.add(new TypeBlock(run.offset(), run.length(), run.stride(), run.repeat(), null));
        }
        runs = joined.toArray();
        size = layout.size();
        extent = layout.extent();
        contiguous = runs.length == 0 || runs.length == 1 && runs[0].offset() == 0 && runs[0].length() == size && extent == size;
        small = size <= SMALL_BYTES && Arrays.stream(runs).allMatch(r -> r.repeat() == 1);
    }

    /** Whether elements lie in user memory as they do when packed. */
    boolean isContiguous() {
        return contiguous;
    }

    /** Moves {@code count} elements, the first at {@code base} of the user's memory and at {@code at} of the packed memory. */
    void elements(final boolean pack, final MemorySegment user, final long base, final MemorySegment packed, final long at, final long count) {
        if (contiguous) {
            move(pack, user, base, packed, at, count * size);
        } else if (small) {
            for (long i = 0; i < count; i += FEW) {
                long to = at + i * size;
                for (final TypeBlock run : runs) {
                    blocks(pack, user, base + i * extent + run.offset(), extent, packed, to, size, run.length(), Math.min(FEW, count - i));
                    to += run.length();
                }
            }
        } else {
            long to = at;
            for (long i = 0; i < count; i++) {
                for (final TypeBlock run : runs) {
                    blocks(pack, user, base + i * extent + run.offset(), run.stride(), packed, to, run.length(), run.length(), run.repeat());
                    to += run.length() * run.repeat();
                }
            }
        }
    }

    /** Moves the packed bytes from {@code first} to {@code first + bytes}; {@code base} is where element 0 lies. */
    void range(final boolean pack, final MemorySegment user, final long base, final long first, final long bytes,
            final MemorySegment packed, final long at) {
        if (contiguous) {
            move(pack, user, base + first, packed, at, bytes);
            return;
        }
        long element = first / size;
        long done = 0;
        final long skip = first - element * size;
        if (skip > 0) {
            done = Math.min(bytes, size - skip);
            part(pack, user, base + element * extent, skip, done, packed, at);
            element++;
        }
        final long whole = (bytes - done) / size;
        elements(pack, user, base + element * extent, packed, at + done, whole);
        done += whole * size;
        if (done < bytes) {
            part(pack, user, base + (element + whole) * extent, 0, bytes - done, packed, at + done);
        }
    }

    /** Moves packed bytes of one element. */
    private void part(final boolean pack, final MemorySegment user, final long base, final long first, final long bytes,
            final MemorySegment packed, final long at) {
        final long end = first + bytes;
        long start = 0;
        for (int r = 0; r < runs.length && start < end; r++) {
            final TypeBlock run = runs[r];
            final long next = start + run.length() * run.repeat();
            long from = Math.max(first, start);
            while (from < Math.min(end, next)) {
                final long block = (from - start) / run.length();
                final long inside = from - start - block * run.length();
                final long length = Math.min(run.length() - inside, end - from);
                move(pack, user, base + run.block(block) + inside, packed, at + from - first, length);
                from += length;
            }
            start = next;
        }
    }

    /** Moves {@code count} blocks, {@code stride} bytes from block to block in user memory and {@code step} in packed memory. */
    private static void blocks(final boolean pack, final MemorySegment user, final long base, final long stride,
            final MemorySegment packed, final long at, final long step, final long length, final long count) {
        if (!StridedCopy.move(pack, user, base, stride, packed, at, step, length, count)) {
            for (long i = 0; i < count; i++) {
                move(pack, user, base + i * stride, packed, at + i * step, length);
            }
        }
    }

    private static void move(final boolean pack, final MemorySegment user, final long base, final MemorySegment packed, final long at,
            final long bytes) {
        if (pack) {
            MemorySegment.copy(user, base, packed, at, bytes);
        } else {
            MemorySegment.copy(packed, at, user, base, bytes);
        }
    }
}
