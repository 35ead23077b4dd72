package tutti.runtime.datatype;

/**
 * Strided blocks within one element: {@code repeat} blocks of {@code length} bytes, the first at {@code offset}, {@code stride} bytes from start
 * to start.
 *
 * @param offset of the first block from the start of the element; may be negative
 * @param length of a block in bytes, above 0
 * @param stride from block to block in bytes; may be negative; 0 when there is one block
 * @param repeat number of blocks, above 0
 * @param kind   of the primitive elements in the blocks; {@link ElementKind#NONE} where it does not matter
 */
record TypeBlock(long offset, long length, long stride, long repeat, ElementKind kind) {

    /** Returns the blocks in normal form: blocks that touch are one block. */
    static TypeBlock of(final long offset, final long length, final long stride, final long repeat, final ElementKind kind) {
        if (repeat == 1) {
            return new TypeBlock(offset, length, 0, 1, kind);
        }
        return stride == length ? new TypeBlock(offset, Math.multiplyExact(length, repeat), 0, 1, kind)
            : new TypeBlock(offset, length, stride, repeat, kind);
    }

    /** Returns the same blocks, moved by {@code distance} bytes. */
    TypeBlock shifted(final long distance) {
        return new TypeBlock(Math.addExact(offset, distance), length, stride, repeat, kind);
    }

    /** Returns the first {@code blocks} blocks. */
    TypeBlock first(final long blocks) {
        return of(offset, length, stride, blocks, kind);
    }

    /** Returns all blocks except the first. */
    TypeBlock rest() {
        return of(block(1), length, stride, repeat - 1, kind);
    }

    /** Returns the offset of block {@code i}. */
    long block(final long i) {
        return Math.addExact(offset, Math.multiplyExact(stride, i));
    }

    /** Returns the bytes of all blocks. */
    long bytes() {
        return Math.multiplyExact(length, repeat);
    }

    /** Returns the offset of the first byte of the lowest block. */
    long low() {
        return Math.min(offset, block(repeat - 1));
    }

    /** Returns the offset of the byte after the highest block. */
    long high() {
        return Math.addExact(Math.max(offset, block(repeat - 1)), length);
    }
}
