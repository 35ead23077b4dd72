package tutti.runtime.datatype;

/**
 * Blocks of equal length at equal distance within one element: {@code repeat} blocks of {@code length} bytes, the first at
 * {@code offset}, {@code stride} bytes from start to start.
 *
 * @param offset of the first block from the start of the element; may be negative
 * @param length of a block in bytes, above 0
 * @param stride from block to block; may be negative; 0 when there is one block
 * @param repeat blocks, above 0
 * @param kind   of the primitive elements in the blocks; null where that does not matter
 */
record TypeBlock(long offset, long length, long stride, long repeat, ElementKind kind) {

    /** In normal form: blocks that touch are one block. */
    static TypeBlock of(final long offset, final long length, final long stride, final long repeat, final ElementKind kind) {
        if (repeat == 1) {
            return new TypeBlock(offset, length, 0, 1, kind);
        }
        return stride == length ? new TypeBlock(offset, Math.multiplyExact(length, repeat), 0, 1, kind)
            : new TypeBlock(offset, length, stride, repeat, kind);
    }

    /** The same blocks, moved. */
    TypeBlock shifted(final long distance) {
        return new TypeBlock(Math.addExact(offset, distance), length, stride, repeat, kind);
    }

    /** The first {@code blocks} blocks. */
    TypeBlock first(final long blocks) {
        return of(offset, length, stride, blocks, kind);
    }

    /** What is left without the first block. */
    TypeBlock rest() {
        return of(block(1), length, stride, repeat - 1, kind);
    }

    /** Where block {@code i} starts. */
    long block(final long i) {
        return Math.addExact(offset, Math.multiplyExact(stride, i));
    }

    /** Bytes of all blocks. */
    long bytes() {
        return Math.multiplyExact(length, repeat);
    }

    /** The first byte of the lowest block. */
    long low() {
        return Math.min(offset, block(repeat - 1));
    }

    /** The byte after the highest block. */
    long high() {
        return Math.addExact(Math.max(offset, block(repeat - 1)), length);
    }
}
