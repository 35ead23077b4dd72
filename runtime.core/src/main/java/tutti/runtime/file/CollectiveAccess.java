package tutti.runtime.file;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.exchange.CallExchange;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.Request;

/**
 * An access of all ranks, in two phases. The range of the file that the call touches is divided among aggregators: ranks that access the file, in
 * long pieces. They exchange the data with the other ranks by an alltoallv for each piece, while they read or write the piece before it. Since the
 * data of a view is in the order of the file, that of a piece is one range of a rank's data. Nothing is written but data: an aggregator does not
 * write what is between it.
 *
 * <p>Ranks whose data is apart, in one block each, access the file themselves, as all do where {@link FileHints} say so.
 *
 * <p>del Rosario, Bordawekar and Choudhary, Improved Parallel I/O via a Two-phase Run-time Access Strategy, 1993.
 */
final class CollectiveAccess {
    private static final int POSITION = 0;
    private static final int BYTES = 1;
    private static final int FIRST = 2;
    private static final int END = 3;
    private static final int SIZE = 4;
    private static final int FORM = 5;
    private static final int FIELDS = 6;
    /** Forms of a rank's data: in one block, which is in order; or in blocks in order; or neither. */
    private static final int ONE_BLOCK = 2;
    private static final int IN_ORDER = 1;
    /** Pieces without data that are worth an exchange, for each one with data. */
    private static final long MOST_EMPTY = 16;

    private final CallExchange exchange;
    private final DiskFile file;
    private final FileHints hints;
    private final int[] aggregators;
    private final RankViews views;
    private final Buffers buffers;

    /** Memory of one collective access after the other. */
    static final class Buffers {
        private final Scratch[] sent = {new Scratch(), new Scratch()};
        private final Scratch[] received = {new Scratch(), new Scratch()};
        private final Scratch image = new Scratch();
    }

    CollectiveAccess(final CallExchange exchange, final DiskFile file, final FileHints hints, final int[] aggregators, final RankViews views,
        final Buffers buffers) {
        this.exchange = exchange;
        this.file = file;
        this.hints = hints;
        this.aggregators = aggregators;
        this.views = views;
        this.buffers = buffers;
    }

    /** The accesses of all ranks, and the range of the file that they touch. */
    private final class Extent {
        private final long[] all;
        private long begin = Long.MAX_VALUE;
        private long end;
        private long total;

        Extent(final long[] all) {
            this.all = all;
            for (int r = 0; r < ranks(); r++) {
                if (of(r, BYTES) > 0) {
                    begin = Math.min(begin, of(r, FIRST));
                    end = Math.max(end, of(r, END));
                    total += of(r, BYTES);
                }
            }
        }

        int ranks() {
            return all.length / FIELDS;
        }

        long of(final int rank, final int field) {
            return all[rank * FIELDS + field];
        }

        /** Returns whether an exchange helps: not where each rank has one block apart from the others, nor where nearly all pieces are empty. */
        boolean isExchanged() {
            if (IntStream.range(0, ranks()).anyMatch(r -> of(r, BYTES) > 0 && of(r, FORM) < IN_ORDER)) {
                return false;
            }
            if ((end - begin) / hints.bufferBytes() > MOST_EMPTY * (total / hints.bufferBytes() + aggregators.length)) {
                return false;
            }
            long before = Long.MIN_VALUE;
            for (final int r : IntStream.range(0, ranks()).filter(i -> of(i, BYTES) > 0).boxed()
                .sorted(Comparator.comparingLong(i -> of(i, FIRST))).mapToInt(Integer::intValue).toArray()) {
                if (of(r, FORM) != ONE_BLOCK || of(r, FIRST) < before) {
                    return true;
                }
                before = of(r, END);
            }
            return false;
        }
    }

    /**
     * Makes the access; returns the bytes of this rank that were read or written.
     *
     * @param data    null when there is a problem
     * @param problem why this rank cannot take part; null if it can
     * @param alone   makes the access of this rank alone
     */
    long run(final boolean isWrite, final long position, final @Nullable FileData data, final @Nullable MpiFailure problem, final Alone alone) {
        MpiFailure why = problem;
        final ViewMap map = views.own().map();
        final long[] said = new long[FIELDS];
        try {
            if (data != null) {
                final long bytes = data.bytes();
                said[POSITION] = position;
                said[BYTES] = bytes;
                said[FIRST] = map.offset(position);
                said[END] = bytes == 0 ? said[FIRST] : map.offset(position + bytes - 1) + 1;
                said[SIZE] = isWrite ? 0 : file.size();
                said[FORM] = said[END] - said[FIRST] == bytes ? ONE_BLOCK : map.isAscending() ? IN_ORDER : 0;
            }
        } catch (final MpiFailure e) {
            why = e;
        }
        final Extent extent = new Extent(exchange.gather(why, said));
        if (data == null) {
            throw new IllegalStateException("a rank without data has a problem");
        }
        if (!hints.collects() || !extent.isExchanged()) {
            return alone(alone);
        }
        return isWrite ? write(extent, position, data) : read(extent, position, data);
    }

    /** An access of this rank alone. */
    interface Alone {
        /** Makes the access, and returns the bytes. */
        long access();
    }

    private long alone(final Alone access) {
        MpiFailure why = null;
        long bytes = 0;
        try {
            bytes = access.access();
        } catch (final MpiFailure e) {
            why = e;
        }
        exchange.agree(why);
        return bytes;
    }

    /** The pieces of the file, and this rank's part of them. */
    private final class Pieces {
        private final Extent extent;
        private final long base;
        private final long share;
        private final long position;
        private final long bytes;
        /** Index of this rank among the aggregators; negative when it is none. */
        private final int own;

        Pieces(final Extent extent, final long position, final long bytes) {
            this.extent = extent;
            this.base = extent.begin / FileHints.PAGE * FileHints.PAGE;
            this.share = Math.ceilDiv(Math.ceilDiv(extent.end - base, aggregators.length), FileHints.PAGE) * FileHints.PAGE;
            this.position = position;
            this.bytes = bytes;
            this.own = IntStream.range(0, aggregators.length).filter(i -> aggregators[i] == exchange.comm().rank()).findFirst().orElse(-1);
        }

        int rounds() {
            return extent.total == 0 ? 0 : Math.toIntExact(Math.ceilDiv(share, hints.bufferBytes()));
        }

        /** Returns where the piece of an aggregator begins in a round. */
        long low(final int aggregator, final int round) {
            return Math.min(extent.end, base + Math.min(share, round * hints.bufferBytes()) + aggregator * share);
        }

        /** Returns where it ends. */
        long high(final int aggregator, final int round) {
            return low(aggregator, round + 1);
        }

        /** Returns how many bytes of this rank's data are before an offset of the file. */
        long before(final long offset) {
            return Math.clamp(views.own().map().positionAt(offset) - position, 0, bytes);
        }

        /** Returns how many bytes of a rank's data are before an offset of the file. */
        long before(final int rank, final long offset) {
            return Math.clamp(of(rank).positionAt(offset) - extent.of(rank, POSITION), 0, extent.of(rank, BYTES));
        }

        /** Returns the offset in the file of a byte of a rank's data. */
        long offset(final int rank, final long at) {
            return of(rank).offset(extent.of(rank, POSITION) + at);
        }

        ViewMap of(final int rank) {
            final ViewMap[] all = views.ofRanks();
            if (all == null) {
                throw new IllegalStateException("rank is no aggregator");
            }
            return all[rank];
        }
    }

    /** Counts and displacements of a buffer with a block for each rank. */
    private static final class Blocks {
        private final long[] counts;
        private final long[] displacements;
        private long total;

        Blocks(final int ranks) {
            counts = new long[ranks];
            displacements = new long[ranks];
        }

        /** Appends the block of a rank. */
        void append(final int rank, final long bytes) {
            counts[rank] = bytes;
            displacements[rank] = total;
            total += bytes;
        }

        /** Sets the block of a rank. */
        void set(final int rank, final long bytes, final long at) {
            counts[rank] = bytes;
            displacements[rank] = bytes == 0 ? 0 : at;
        }
    }

    private Request alltoallv(final MemorySegment sent, final Blocks from, final MemorySegment received, final Blocks into) {
        return exchange.comm().engine().nonblocking().alltoallv(sent, from.counts, from.displacements, Datatype.BYTE, received, into.counts,
            into.displacements, Datatype.BYTE);
    }

    private long write(final Extent extent, final long position, final FileData data) {
        final Pieces pieces = new Pieces(extent, position, data.bytes());
        final int rounds = pieces.rounds();
        MpiFailure why = null;
        Request next = rounds == 0 ? null : send(pieces, data, 0);
        for (int round = 0; next != null; round++) {
            exchange.await(next);
            next = round + 1 < rounds ? send(pieces, data, round + 1) : null;
            if (pieces.own >= 0 && why == null) {
                try {
                    writePiece(pieces, round);
                } catch (final MpiFailure e) {
                    why = e; // the other ranks go on, and learn it at the end
                }
            }
        }
        exchange.agree(why);
        return data.bytes();
    }

    /** Starts to send the data of a round to the aggregators. */
    private Request send(final Pieces pieces, final FileData data, final int round) {
        final int ranks = exchange.comm().size();
        final Blocks from = new Blocks(ranks);
        final MemorySegment sent = data.isInOnePiece() ? data.memory() : buffers.sent[round & 1].of(ownBytes(pieces, round));
        for (int i = 0; i < aggregators.length; i++) {
            final long first = pieces.before(pieces.low(i, round));
            final long n = pieces.before(pieces.high(i, round)) - first;
            if (data.isInOnePiece()) {
                from.set(aggregators[i], n, first);
            } else {
                data.pack(first, n, sent, from.total);
                from.append(aggregators[i], n);
            }
        }
        final Blocks into = new Blocks(ranks);
        for (int r = 0; r < ranks && pieces.own >= 0; r++) {
            into.append(r, pieces.before(r, pieces.high(pieces.own, round)) - pieces.before(r, pieces.low(pieces.own, round)));
        }
        return alltoallv(sent, from, buffers.received[round & 1].of(into.total), into);
    }

    private long ownBytes(final Pieces pieces, final int round) {
        long sum = 0;
        for (int i = 0; i < aggregators.length; i++) {
            sum += pieces.before(pieces.high(i, round)) - pieces.before(pieces.low(i, round));
        }
        return sum;
    }

    /** Writes what an aggregator has received in a round. */
    private void writePiece(final Pieces pieces, final int round) {
        final long low = pieces.low(pieces.own, round);
        final long high = pieces.high(pieces.own, round);
        final MemorySegment received = buffers.received[round & 1].of(0);
        final MemorySegment image = buffers.image.of(high - low);
        final BitSet isData = new BitSet((int) (high - low));
        final long[] at = {0};
        for (int r = 0; r < exchange.comm().size(); r++) {
            final long first = pieces.before(r, low);
            final long n = pieces.before(r, high) - first;
            pieces.of(r).blocks(pieces.extent.of(r, POSITION) + first, n, (offset, length, stride, repeat) -> {
                Datatype.copyBlocks(false, image, offset - low, stride, received, at[0], length, repeat);
                at[0] += length * repeat;
                for (long i = 0; i < repeat; i++) {
                    final int begin = (int) (offset - low + i * stride);
                    isData.set(begin, begin + (int) length);
                }
            });
        }
        for (int begin = isData.nextSetBit(0); begin >= 0;) {
            final int end = isData.nextClearBit(begin);
            file.write(low + begin, image, begin, (long) end - begin);
            begin = isData.nextSetBit(end);
        }
    }

    private long read(final Extent asked, final long position, final FileData data) {
        // what is behind the end of the file is not there to be read
        final long size = IntStream.range(0, asked.ranks()).mapToLong(r -> asked.of(r, SIZE)).max().orElse(0);
        final long bytes = Math.clamp(views.own().map().positionAt(size) - position, 0, data.bytes());
        final Pieces pieces = new Pieces(asked, position, bytes);
        final int rounds = pieces.rounds();
        MpiFailure why = null;
        Request before = null;
        for (int round = 0; round < rounds; round++) {
            final Blocks from = pieces.own < 0 ? new Blocks(exchange.comm().size()) : parts(pieces, round, size);
            final MemorySegment sent = buffers.sent[round & 1].of(from.total);
            if (pieces.own >= 0 && why == null) {
                try {
                    readPiece(pieces, round, size, sent, from);
                } catch (final MpiFailure e) {
                    why = e;
                }
            }
            final Request started = receive(pieces, data, round, sent, from);
            if (before != null) {
                exchange.await(before);
                unpack(pieces, data, round - 1);
            }
            before = started;
        }
        if (before != null) {
            exchange.await(before);
            unpack(pieces, data, rounds - 1);
        }
        exchange.agree(why);
        return bytes;
    }

    /**
     * Returns where an aggregator has the data of each rank in a round: the piece of the file is at the begin of its memory, and data in several
     * blocks is packed behind it.
     */
    private Blocks parts(final Pieces pieces, final int round, final long size) {
        final long low = pieces.low(pieces.own, round);
        final long high = Math.max(low, Math.min(size, pieces.high(pieces.own, round)));
        final Blocks parts = new Blocks(exchange.comm().size());
        parts.total = high - low;
        for (int r = 0; r < parts.counts.length; r++) {
            final long first = pieces.before(r, low);
            final long n = pieces.before(r, high) - first;
            if (n > 0 && pieces.offset(r, first + n - 1) - pieces.offset(r, first) == n - 1) {
                parts.set(r, n, pieces.offset(r, first) - low);
            } else {
                parts.append(r, n);
            }
        }
        return parts;
    }

    /** Reads the piece of a round, and packs the data of ranks that is in several blocks. */
    private void readPiece(final Pieces pieces, final int round, final long size, final MemorySegment memory, final Blocks parts) {
        final long low = pieces.low(pieces.own, round);
        final long high = Math.min(size, pieces.high(pieces.own, round));
        long first = Long.MAX_VALUE;
        long last = 0;
        for (int r = 0; r < parts.counts.length; r++) {
            if (parts.counts[r] > 0) {
                final long begin = pieces.before(r, low);
                first = Math.min(first, pieces.offset(r, begin));
                last = Math.max(last, pieces.offset(r, begin + parts.counts[r] - 1) + 1);
            }
        }
        if (first >= last) {
            return;
        }
        final long got = file.read(first, memory, first - low, last - first);
        memory.asSlice(first - low + got, last - first - got).fill((byte) 0); // another program may have made the file shorter
        for (int r = 0; r < parts.counts.length; r++) {
            if (parts.counts[r] > 0 && parts.displacements[r] >= high - low) {
                final long[] at = {parts.displacements[r]};
                pieces.of(r).blocks(pieces.extent.of(r, POSITION) + pieces.before(r, low), parts.counts[r], (offset, length, stride, repeat) -> {
                    Datatype.copyBlocks(true, memory, offset - low, stride, memory, at[0], length, repeat);
                    at[0] += length * repeat;
                });
            }
        }
    }

    /** Starts to receive the data of a round from the aggregators. */
    private Request receive(final Pieces pieces, final FileData data, final int round, final MemorySegment sent, final Blocks from) {
        final Blocks into = new Blocks(exchange.comm().size());
        for (int i = 0; i < aggregators.length; i++) {
            final long first = pieces.before(pieces.low(i, round));
            final long n = pieces.before(pieces.high(i, round)) - first;
            if (data.isInOnePiece()) {
                into.set(aggregators[i], n, first);
            } else {
                into.append(aggregators[i], n);
            }
        }
        final MemorySegment received = data.isInOnePiece() ? data.memory() : buffers.received[round & 1].of(into.total);
        return alltoallv(sent, from, received, into);
    }

    /** Unpacks the data of a round that has gaps in memory. */
    private void unpack(final Pieces pieces, final FileData data, final int round) {
        if (data.isInOnePiece()) {
            return;
        }
        long at = 0;
        for (int i = 0; i < aggregators.length; i++) {
            final long first = pieces.before(pieces.low(i, round));
            final long n = pieces.before(pieces.high(i, round)) - first;
            data.unpack(buffers.received[round & 1].of(0), at, first, n);
            at += n;
        }
    }

    /** Returns the ranks that access the file: the first ranks of the nodes, then their second ones, as many as the hints say. */
    static int[] aggregators(final long[] nodeOf, final int wanted) {
        final int ranks = nodeOf.length;
        final int[] indexOnNode = new int[ranks];
        for (int r = 0; r < ranks; r++) {
            final int rank = r;
            indexOnNode[r] = (int) IntStream.range(0, r).filter(i -> nodeOf[i] == nodeOf[rank]).count();
        }
        final int nodes = (int) Arrays.stream(nodeOf).distinct().count();
        return IntStream.range(0, ranks).boxed().sorted(Comparator.comparingInt(r -> indexOnNode[r]))
            .limit(wanted == 0 ? nodes : Math.min(wanted, ranks)).mapToInt(Integer::intValue).toArray();
    }
}
