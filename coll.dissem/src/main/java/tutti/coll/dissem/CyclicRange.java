package tutti.coll.dissem;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/**
 * Blocks of neighbouring ranks around the circle 0, 1, …, size-1, 0, …, as they travel: one after the other.
 *
 * @param blocks where the blocks belong
 * @param first  first rank of the run
 * @param length ranks in the run, at most as many as there are blocks
 */
record CyclicRange(Blocks blocks, int first, int length) {

    /**
     * A part of the run that belongs in one place.
     *
     * @param at   where it begins in the run, in bytes
     * @param home where it belongs in RECV
     */
    record Piece(long at, BufferRange home) { }

    /** The bytes of all its blocks. */
    long bytes() {
        long sum = 0;
        for (int i = 0; i < length; i++) {
            sum += blocks.bytes(rank(i));
        }
        return sum;
    }

    /** The pieces that it falls into, as few as can be; none where all blocks are empty. */
    List<Piece> pieces() {
        final List<Piece> pieces = new ArrayList<>();
        long at = 0;
        for (int i = 0; i < length; i++) {
            final BufferRange home = blocks.in(Buffer.RECV, rank(i));
            final Piece last = pieces.isEmpty() ? null : pieces.getLast();
            if (last != null && last.home.end() == home.offset()) {
                pieces.set(pieces.size() - 1, new Piece(last.at, Buffer.RECV.at(last.home.offset(), last.home.bytes() + home.bytes())));
            } else if (home.bytes() > 0) {
                pieces.add(new Piece(at, home));
            }
            at += home.bytes();
        }
        return pieces;
    }

    private int rank(final int i) {
        return CyclicRanks.up(first, i, blocks.count());
    }
}
