package tutti.coll.smp;

import tutti.coll.BufferRange;

/**
 * Data cut into pieces that travel one after the other, each of whole elements, all of one length but the last.
 *
 * @param bytes  of the data
 * @param length of a piece
 */
record Segments(long bytes, long length) {
    /** Most pieces, so that plans stay short: of more data they are longer. */
    static final int MOST = 32;

    /**
     * For some data.
     *
     * @param wanted  bytes of a piece
     * @param bytes   of the data
     * @param element bytes that stay together
     */
    static Segments of(final long wanted, final long bytes, final long element) {
        return new Segments(bytes, element * Math.max(Math.max(1, wanted / element), Math.ceilDiv(bytes / element, MOST)));
    }

    int count() {
        return (int) Math.ceilDiv(bytes, length);
    }

    /** The bytes of piece {@code i}. */
    long bytes(final int i) {
        return Math.min(length, bytes - i * length);
    }

    /** Piece {@code i} of the data. */
    BufferRange of(final BufferRange data, final int i) {
        return data.slice(i * length, bytes(i));
    }
}
