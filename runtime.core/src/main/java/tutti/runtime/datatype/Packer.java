package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Copies elements of one layout between user memory and packed memory, in either direction. Immutable.
 *
 * <p>Ranges are given in packed bytes and may begin and end inside an element.
 */
final class Packer {
    /** Largest size of elements that are copied block by block over many elements. */
    private static final int SMALL_BYTES = 1024;
    /** Number of elements per pass over the blocks, so that they stay in the cache from block to block. */
    private static final int ELEMENTS_PER_PASS = 256;

    private final TypeBlock[] blocks;
    private final long size;
    private final long extent;
    private final boolean contiguous;
    private final boolean small;

    Packer(final TypeMap layout) {
        final TypeBlockList joined = new TypeBlockList();
        for (final TypeBlock block : layout.blocks()) {
            joined.add(new TypeBlock(block.offset(), block.length(), block.stride(), block.repeat(), ElementKind.NONE));
        }
        blocks = joined.toArray();
        size = layout.size();
        extent = layout.extent();
        contiguous = blocks.length == 0 || blocks.length == 1 && blocks[0].offset() == 0 && blocks[0].length() == size && extent == size;
        small = size <= SMALL_BYTES && Arrays.stream(blocks).allMatch(r -> r.repeat() == 1);
    }

    /** Returns whether elements have the same layout in user memory as when packed. */
    boolean isContiguous() {
        return contiguous;
    }

    /** Copies {@code count} elements, the first at {@code base} of user memory and at {@code at} of packed memory. */
    void elements(final boolean pack, final MemorySegment user, final long base, final MemorySegment packed, final long at, final long count) {
        if (contiguous) {
            move(pack, user, base, packed, at, count * size);
        } else if (small) {
            for (long i = 0; i < count; i += ELEMENTS_PER_PASS) {
                long to = at + i * size;
                for (final TypeBlock block : blocks) {
                    blocks(pack, user, base + i * extent + block.offset(), extent, packed, to, size, block.length(),
                        Math.min(ELEMENTS_PER_PASS, count - i));
                    to += block.length();
                }
            }
        } else {
            long to = at;
            for (long i = 0; i < count; i++) {
                for (final TypeBlock block : blocks) {
                    blocks(pack, user, base + i * extent + block.offset(), block.stride(), packed, to, block.length(), block.length(),
                        block.repeat());
                    to += block.length() * block.repeat();
                }
            }
        }
    }

    /** Copies the packed bytes from {@code first} to {@code first + bytes}; element 0 is at {@code base}. */
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

    /** Copies packed bytes of one element. */
    private void part(final boolean pack, final MemorySegment user, final long base, final long first, final long bytes,
        final MemorySegment packed, final long at) {
        final long end = first + bytes;
        long start = 0;
        for (int r = 0; r < blocks.length && start < end; r++) {
            final TypeBlock block = blocks[r];
            final long next = start + block.length() * block.repeat();
            final long until = Math.min(end, next);
            long from = Math.max(first, start);
            while (from < until) {
                final long index = (from - start) / block.length();
                final long inside = from - start - index * block.length();
                final long whole = inside == 0 ? (until - from) / block.length() : 0;
                final long length = whole > 0 ? whole * block.length() : Math.min(block.length() - inside, until - from);
                if (whole > 0) {
                    blocks(pack, user, base + block.block(index), block.stride(), packed, at + from - first, block.length(), block.length(), whole);
                } else {
                    move(pack, user, base + block.block(index) + inside, packed, at + from - first, length);
                }
                from += length;
            }
            start = next;
        }
    }

    /** Copies {@code count} blocks, {@code stride} bytes from block to block in user memory and {@code step} in packed memory. */
    static void blocks(final boolean pack, final MemorySegment user, final long base, final long stride,
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
