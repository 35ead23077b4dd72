package tutti.runtime.file;

import java.util.Arrays;
import java.util.stream.LongStream;
import tutti.runtime.datatype.Datatype;

/**
 * Where the data of a view is in its file. The view repeats a filetype from a displacement on; positions count the bytes of data that it shows.
 * Immutable.
 *
 * <p>The data of a filetype is in runs: blocks of one length at equal distances. A run has four numbers: the offset of its first block, the length of
 * a block, the distance from block to block, and the number of blocks.
 */
final class ViewMap {
    private static final int FIELDS = 4;
    /** Numbers before the runs, in the form that ranks exchange. */
    private static final int HEADER = 2;

    /** Offset of the first filetype. */
    private final long displacement;
    /** Bytes from one filetype to the next. */
    private final long extent;
    private final long[] runs;
    /** Bytes of data before each run, and those of all. */
    private final long[] before;
    private final long tileBytes;
    private final boolean isContiguous;
    private final boolean isAscending;

    private ViewMap(final long displacement, final long extent, final long[] runs) {
        this.displacement = displacement;
        this.extent = extent;
        this.runs = runs;
        this.before = new long[runs.length / FIELDS + 1];
        for (int i = 0; i < before.length - 1; i++) {
            before[i + 1] = before[i] + runs[i * FIELDS + 1] * runs[i * FIELDS + 3];
        }
        this.tileBytes = before[before.length - 1];
        this.isContiguous = runs.length == FIELDS && runs[3] == 1 && runs[1] == extent;
        this.isAscending = isAscending(true);
    }

    /** Returns the map of a view. */
    static ViewMap of(final long displacement, final Datatype filetype) {
        final LongStream.Builder all = LongStream.builder();
        if (filetype.size() > 0) {
            filetype.blocks(1, (offset, length, stride, repeat) -> all.add(offset).add(length).add(stride).add(repeat));
        }
        final long[] runs = all.build().toArray();
        if (runs.length == FIELDS && runs[3] > 1 && filetype.extent() == runs[2] * runs[3]) {
            // the blocks of all filetypes have equal distances
            return new ViewMap(displacement, runs[2], new long[] {runs[0], runs[1], 0, 1});
        }
        return new ViewMap(displacement, filetype.extent(), runs);
    }

    /** Returns the map that {@link #toNumbers} wrote. */
    static ViewMap of(final long[] numbers, final int from, final int to) {
        return new ViewMap(numbers[from], numbers[from + 1], Arrays.copyOfRange(numbers, from + HEADER, to));
    }

    /** Returns the numbers of which the map can be made again. */
    long[] toNumbers() {
        final long[] numbers = new long[HEADER + runs.length];
        numbers[0] = displacement;
        numbers[1] = extent;
        System.arraycopy(runs, 0, numbers, HEADER, runs.length);
        return numbers;
    }

    /** Returns whether offsets do not fall from block to block of a filetype, as the standard demands of one. */
    boolean isOrdered() {
        return isAscending(false);
    }

    /** Returns whether each byte of data is behind the one before it: data of a range of the file has a range of positions then. */
    boolean isAscending() {
        return isAscending;
    }

    /** Returns whether offsets rise from block to block; by the length of a block at the least when blocks must not overlap. */
    private boolean isAscending(final boolean isApart) {
        long end = Long.MIN_VALUE;
        for (int i = 0; i < runs.length; i += FIELDS) {
            final long stride = runs[i + 2];
            final long least = isApart ? runs[i + 1] : 0;
            if (runs[i] < end || runs[i + 3] > 1 && stride < least) {
                return false;
            }
            end = runs[i] + (runs[i + 3] - 1) * stride + least;
        }
        return runs.length == 0 || !isApart || runs[0] + extent >= end;
    }

    /** Returns whether the view shows all bytes from its displacement on. */
    boolean isContiguous() {
        return isContiguous;
    }

    /** Returns whether it shows any data. */
    boolean hasData() {
        return tileBytes > 0;
    }

    /** Returns the offset in the file of the byte at a position. */
    long offset(final long position) {
        if (tileBytes == 0) {
            return displacement;
        }
        final long tile = position / tileBytes;
        final long in = position - tile * tileBytes;
        final int run = run(in);
        final long within = in - before[run];
        final long block = within / runs[run * FIELDS + 1];
        return Math.addExact(displacement, Math.multiplyExact(tile, extent)) + runs[run * FIELDS] + block * runs[run * FIELDS + 2]
            + within - block * runs[run * FIELDS + 1];
    }

    /** Returns the index of the run that has the byte at a position of a filetype. */
    private int run(final long in) {
        if (runs.length == FIELDS) {
            return 0;
        }
        final int found = Arrays.binarySearch(before, in);
        return found >= 0 ? found : -found - 2;
    }

    /** Returns how many bytes of data are before an offset of the file; only for an ascending view. */
    long positionAt(final long offset) {
        if (tileBytes == 0 || offset <= displacement + runs[0]) {
            return 0;
        }
        final long beyond = offset - displacement - runs[0];
        final long tile = beyond / extent;
        final long in = beyond - tile * extent + runs[0];
        int low = 0;
        int high = runs.length / FIELDS;
        while (high - low > 1) {
            final int middle = (low + high) >>> 1;
            if (runs[middle * FIELDS] < in) {
                low = middle;
            } else {
                high = middle;
            }
        }
        final int at = low * FIELDS;
        final long distance = in - runs[at];
        final long block = runs[at + 3] == 1 ? 0 : Math.min(runs[at + 3] - 1, distance / runs[at + 2]);
        return tile * tileBytes + before[low] + block * runs[at + 1] + Math.min(runs[at + 1], distance - block * runs[at + 2]);
    }

    /** Tells where some data is, in order; offsets are those of the file. */
    void blocks(final long position, final long bytes, final Datatype.Blocks to) {
        if (isContiguous) {
            if (bytes > 0) {
                to.add(displacement + runs[0] + position, bytes, 0, 1);
            }
            return;
        }
        long at = position;
        final long end = position + bytes;
        while (at < end) {
            at += runs.length == FIELDS && runs[3] == 1 ? blocksOfTiles(at, end - at, to) : blocksOfRun(at, end - at, to);
        }
    }

    /** Tells the next blocks where each filetype has one; returns their bytes. */
    private long blocksOfTiles(final long at, final long left, final Datatype.Blocks to) {
        final long length = runs[1];
        final long tile = at / length;
        final long in = at - tile * length;
        final long offset = displacement + tile * extent + runs[0] + in;
        if (in > 0 || left < length) {
            final long n = Math.min(left, length - in);
            to.add(offset, n, 0, 1);
            return n;
        }
        to.add(offset, length, extent, left / length);
        return left / length * length;
    }

    /** Tells the next blocks of a run; returns their bytes. */
    private long blocksOfRun(final long at, final long left, final Datatype.Blocks to) {
        final long tile = at / tileBytes;
        final long in = at - tile * tileBytes;
        final int run = run(in) * FIELDS;
        final long length = runs[run + 1];
        final long within = in - before[run / FIELDS];
        final long block = within / length;
        final long inBlock = within - block * length;
        final long offset = displacement + tile * extent + runs[run] + block * runs[run + 2] + inBlock;
        if (inBlock > 0 || left < length) {
            final long n = Math.min(left, length - inBlock);
            to.add(offset, n, 0, 1);
            return n;
        }
        final long repeat = Math.min(runs[run + 3] - block, left / length);
        to.add(offset, length, runs[run + 2], repeat);
        return repeat * length;
    }
}
