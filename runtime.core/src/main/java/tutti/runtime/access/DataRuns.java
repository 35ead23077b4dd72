package tutti.runtime.access;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.stream.LongStream;
import tutti.runtime.datatype.Datatype;

/**
 * The data of elements as runs: blocks of one length at equal distances, in the order of packing. Other nodes need no datatype to find the data. A
 * cursor cuts the runs into pieces. Immutable, but for the cursor.
 *
 * <p>A run is written as four numbers of 8 bytes, little-endian: the offset of its first block, the length of a block, the distance from block to
 * block, and the number of blocks.
 */
public final class DataRuns {
    /** Bytes of a run as it is written. */
    public static final int BYTES = 4 * Long.BYTES;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int FIELDS = 4;

    /** Four numbers for each run, as they are written. */
    private final long[] runs;

    private DataRuns(final long... runs) {
        this.runs = runs;
    }

    /** Returns the runs of elements, whose offsets are relative to element 0. */
    public static DataRuns of(final Datatype type, final long count) {
        if (count == 0 || type.size() == 0) {
            return new DataRuns();
        }
        if (type.isContiguous()) {
            return new DataRuns(0, Math.multiplyExact(count, type.size()), 0, 1);
        }
        final LongStream.Builder all = LongStream.builder();
        type.blocks(count, (offset, length, stride, repeat) -> all.add(offset).add(length).add(stride).add(repeat));
        return new DataRuns(all.build().toArray());
    }

    /**
     * Returns runs of blocks.
     *
     * @param fields four numbers for each run, as they are written
     */
    public static DataRuns of(final long... fields) {
        return new DataRuns(fields);
    }

    /** Returns whether all data is in one block. */
    public boolean isOneBlock() {
        return runs.length == FIELDS && runs[3] == 1;
    }

    /** Returns a cursor at the begin of the data. */
    public Cursor cursor() {
        return new Cursor();
    }

    /** Returns the offset of the first block of a run that was written. */
    public static long offset(final MemorySegment m, final long at) {
        return m.get(LONG, at);
    }

    /** Returns the length of a block of a run that was written. */
    public static long length(final MemorySegment m, final long at) {
        return m.get(LONG, at + Long.BYTES);
    }

    /** Returns the distance from block to block of a run that was written. */
    public static long stride(final MemorySegment m, final long at) {
        return m.get(LONG, at + 2 * Long.BYTES);
    }

    /** Returns the number of blocks of a run that was written. */
    public static long repeat(final MemorySegment m, final long at) {
        return m.get(LONG, at + 3 * Long.BYTES);
    }

    /** A position in the data. For one thread. */
    public final class Cursor {
        /** Index of the first number of the run. */
        private int run;
        private long block;
        private long inBlock;
        private long taken;

        private Cursor() {}

        /** Returns whether all data is taken. */
        public boolean isAtEnd() {
            return run == runs.length;
        }

        /** Returns how many bytes of data the last {@link #take} has taken. */
        public long taken() {
            return taken;
        }

        /**
         * Takes the next data as {@link #take} does, but whole elements: their bytes may be in several runs.
         *
         * @param unit bytes of an element; {@code maxRuns} is more than this, or the data is in one block
         */
        public int takeElements(final long base, final byte[] into, final int at, final int maxRuns, final long most, final int unit) {
            final int runBefore = run;
            final long blockBefore = block;
            final long inBlockBefore = inBlock;
            // a run less than fits, since one that is cut becomes two
            final int written = take(base, into, at, Math.max(1, maxRuns - 1), most / unit * unit);
            if (taken % unit == 0) {
                return written;
            }
            run = runBefore;
            block = blockBefore;
            inBlock = inBlockBefore;
            return take(base, into, at, maxRuns, taken / unit * unit);
        }

        /**
         * Takes the next data, and writes its runs.
         *
         * @param base    is added to the offsets
         * @param maxRuns most runs that are written
         * @param most    most bytes of data that are taken
         * @return the number of runs
         */
        public int take(final long base, final byte[] into, final int at, final int maxRuns, final long most) {
            int written = 0;
            taken = 0;
            while (run < runs.length && written < maxRuns && taken < most) {
                final long whole = runs[run + 1];
                final long stride = runs[run + 2];
                final long left = most - taken;
                final long offset = base + runs[run] + block * stride + inBlock;
                final long length;
                final long repeat;
                if (inBlock > 0 || left < whole) {
                    length = Math.min(left, whole - inBlock);
                    repeat = 1;
                    inBlock += length;
                    if (inBlock == whole) {
                        inBlock = 0;
                        block++;
                    }
                } else {
                    length = whole;
                    repeat = Math.min(runs[run + 3] - block, left / length);
                    block += repeat;
                }
                write(into, at + written++ * BYTES, offset, length, stride, repeat);
                taken += length * repeat;
                if (block == runs[run + 3]) {
                    run += FIELDS;
                    block = 0;
                }
            }
            return written;
        }

        private static void write(final byte[] into, final int at, final long offset, final long length, final long stride, final long repeat) {
            LONGS.set(into, at, offset);
            LONGS.set(into, at + Long.BYTES, length);
            LONGS.set(into, at + 2 * Long.BYTES, stride);
            LONGS.set(into, at + 3 * Long.BYTES, repeat);
        }
    }
}
