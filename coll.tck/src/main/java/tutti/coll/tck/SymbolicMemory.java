package tutti.coll.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A symbolic memory: a buffer that holds terms instead of bytes. It stores ranges of bytes that belong to one term, so its cost does not depend on
 * its size.
 */
final class SymbolicMemory {

    /**
     * A range of bytes that belong to one term.
     *
     * @param offset   first byte in this memory
     * @param bytes    length in bytes
     * @param term     the term
     * @param position which byte of the term the first byte is: its offset in the contributions
     */
    record Piece(long offset, long bytes, Term term, long position) {
        long end() {
            return offset + bytes;
        }

        Piece cut(final long from, final long to) {
            return new Piece(from, to - from, term, position + from - offset);
        }

        Piece movedTo(final long target) {
            return new Piece(target, bytes, term, position);
        }

        private boolean continuedBy(final Piece next) {
            return term == next.term && position + bytes == next.position && end() == next.offset;
        }
    }

    private final TreeMap<Long, Piece> pieces = new TreeMap<>();

    SymbolicMemory(final long bytes, final Term term) {
        if (bytes > 0) {
            put(new Piece(0, bytes, term, 0));
        }
    }

    /** Returns what {@code bytes} bytes from {@code offset} hold, in ascending order and in as few ranges as possible. */
    List<Piece> read(final long offset, final long bytes) {
        final List<Piece> found = new ArrayList<>();
        final long end = offset + bytes;
        Map.Entry<Long, Piece> e = bytes == 0 ? null : pieces.floorEntry(offset);
        while (e != null && e.getKey() < end) {
            final Piece p = e.getValue();
            final Piece part = p.cut(Math.max(offset, p.offset), Math.min(end, p.end()));
            if (!found.isEmpty() && found.getLast().continuedBy(part)) {
                final Piece before = found.removeLast();
                found.add(new Piece(before.offset, before.bytes + part.bytes, before.term, before.position));
            } else {
                found.add(part);
            }
            e = pieces.higherEntry(e.getKey());
        }
        return found;
    }

    /** Writes ranges that were read elsewhere. The byte that was at {@code source} is written to {@code offset}. */
    void write(final long offset, final List<Piece> data, final long source) {
        for (final Piece p : data) {
            final Piece moved = p.movedTo(offset + p.offset - source);
            clear(moved.offset, moved.end());
            put(moved);
        }
    }

    void write(final Piece piece) {
        write(piece.offset, List.of(piece), piece.offset);
    }

    private void clear(final long from, final long to) {
        for (final long edge : new long[] {from, to}) {
            final Map.Entry<Long, Piece> e = pieces.lowerEntry(edge);
            if (e != null && e.getValue().end() > edge) {
                final Piece p = e.getValue();
                put(p.cut(p.offset, edge));
                put(p.cut(edge, p.end()));
            }
        }
        for (Long covered = pieces.ceilingKey(from); covered != null && covered < to; covered = pieces.higherKey(covered)) {
            pieces.remove(covered);
        }
    }

    private void put(final Piece piece) {
        if (piece.bytes > 0) {
            pieces.put(piece.offset, piece);
        }
    }
}
