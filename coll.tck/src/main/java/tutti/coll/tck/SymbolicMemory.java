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
    record TermRange(long offset, long bytes, Term term, long position) {
        long end() {
            return offset + bytes;
        }

        TermRange slice(final long from, final long to) {
            return new TermRange(from, to - from, term, position + from - offset);
        }

        TermRange movedTo(final long target) {
            return new TermRange(target, bytes, term, position);
        }

        private boolean continuedBy(final TermRange next) {
            return term == next.term && position + bytes == next.position && end() == next.offset;
        }
    }

    private final TreeMap<Long, TermRange> ranges = new TreeMap<>();

    SymbolicMemory(final long bytes, final Term term) {
        if (bytes > 0) {
            put(new TermRange(0, bytes, term, 0));
        }
    }

    /** Returns what {@code bytes} bytes from {@code offset} hold, in ascending order and in as few ranges as possible. */
    List<TermRange> read(final long offset, final long bytes) {
        final List<TermRange> found = new ArrayList<>();
        final long end = offset + bytes;
        Map.Entry<Long, TermRange> e = bytes == 0 ? null : ranges.floorEntry(offset);
        while (e != null && e.getKey() < end) {
            final TermRange p = e.getValue();
            final TermRange part = p.slice(Math.max(offset, p.offset), Math.min(end, p.end()));
            if (!found.isEmpty() && found.getLast().continuedBy(part)) {
                final TermRange before = found.removeLast();
                found.add(new TermRange(before.offset, before.bytes + part.bytes, before.term, before.position));
            } else {
                found.add(part);
            }
            e = ranges.higherEntry(e.getKey());
        }
        return found;
    }

    /** Writes ranges that were read elsewhere. The byte that was at {@code source} is written to {@code offset}. */
    void write(final long offset, final List<TermRange> data, final long source) {
        for (final TermRange p : data) {
            final TermRange moved = p.movedTo(offset + p.offset - source);
            clear(moved.offset, moved.end());
            put(moved);
        }
    }

    void write(final TermRange piece) {
        write(piece.offset, List.of(piece), piece.offset);
    }

    private void clear(final long from, final long to) {
        for (final long edge : new long[] {from, to}) {
            final Map.Entry<Long, TermRange> e = ranges.lowerEntry(edge);
            if (e != null && e.getValue().end() > edge) {
                final TermRange p = e.getValue();
                put(p.slice(p.offset, edge));
                put(p.slice(edge, p.end()));
            }
        }
        for (Long covered = ranges.ceilingKey(from); covered != null && covered < to; covered = ranges.higherKey(covered)) {
            ranges.remove(covered);
        }
    }

    private void put(final TermRange piece) {
        if (piece.bytes > 0) {
            ranges.put(piece.offset, piece);
        }
    }
}
