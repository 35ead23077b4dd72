package tutti.runtime.canary;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Operation;

/**
 * The bytes of the receive memory that a call uses on one rank of an intracommunicator.
 *
 * @param results the bytes that the call defines
 * @param inputs  the bytes that it reads
 * @param bytes   length of the memory that holds all of them
 */
public record RecvUse(Blocks results, Blocks inputs, long bytes) {
    private static final Blocks NONE = Blocks.uniform(0, 0);
    /** What gaps hold in scratch memory. */
    private static final byte GAP = 0x5A;

    /** Returns what a call uses on a rank. */
    public static RecvUse of(final Operation<?> operation, final Call call, final int rank) {
        final long bytes = call.recvBytes(rank);
        if (bytes == 0) {
            return new RecvUse(NONE, NONE, 0);
        }
        final Blocks all = one(bytes);
        return switch (call) {
            case Call.Barrier c -> new RecvUse(NONE, NONE, 0);
            case Call.Bcast c -> new RecvUse(all, rank == c.root() ? all : NONE, bytes);
            case Call.Gather c -> c.recv() == null ? new RecvUse(NONE, NONE, 0) : ofBlocks(c.recv(), c.inPlace() ? only(c.recv(), rank) : NONE);
            case Call.Scatter c -> new RecvUse(all, NONE, bytes);
            case Call.Allgather c -> ofBlocks(c.recv(), c.inPlace() ? only(c.recv(), rank) : NONE);
            case Call.Alltoall c -> ofBlocks(c.recv(), c.inPlace() ? c.recv() : NONE);
            case Call.Reduce c -> new RecvUse(all, c.inPlace() ? all : NONE, bytes);
            case Call.Allreduce c -> new RecvUse(all, c.inPlace() ? all : NONE, bytes);
            // the first rank of exscan has no result
            case Call.Scan c -> new RecvUse(operation == (Operation<?>) Operation.EXSCAN && rank == 0 ? NONE : all, c.inPlace() ? all : NONE, bytes);
            case Call.ReduceScatter c -> new RecvUse(one(c.blocks().bytes(rank)), c.inPlace() ? all : NONE, bytes);
            case Call.NeighborAllgather c -> ofBlocks(ofSources(c.recv(), c.neighbors()), NONE);
            case Call.NeighborAlltoall c -> ofBlocks(ofSources(c.recv(), c.neighbors()), NONE);
        };
    }

    private static RecvUse ofBlocks(final Blocks results, final Blocks inputs) {
        return new RecvUse(results, inputs, Math.max(results.end(), inputs.end()));
    }

    private static Blocks one(final long bytes) {
        return Blocks.uniform(1, bytes);
    }

    private static Blocks only(final Blocks blocks, final int i) {
        return Blocks.of(new long[] {blocks.bytes(i)}, new long[] {blocks.offset(i)});
    }

    /** Returns the blocks with those of missing sources empty, which are not accessed. */
    private static Blocks ofSources(final Blocks blocks, final Neighbors neighbors) {
        final long[] lengths = new long[blocks.count()];
        final long[] offsets = new long[blocks.count()];
        for (int i = 0; i < lengths.length; i++) {
            offsets[i] = blocks.offset(i);
            lengths[i] = neighbors.source(i) == Call.PROC_NULL ? 0 : blocks.bytes(i);
        }
        return Blocks.of(lengths, offsets);
    }

    /** Copies the inputs from the receive memory of a call to a memory of {@link #bytes}. */
    public void copyInputs(final MemorySegment from, final MemorySegment to) {
        copy(inputs, from, to);
    }

    /** Copies the results from the receive memory of a call to a memory of {@link #bytes}. */
    public void copyResults(final MemorySegment from, final MemorySegment to) {
        copy(results, from, to);
    }

    private static void copy(final Blocks blocks, final MemorySegment from, final MemorySegment to) {
        for (int i = 0; i < blocks.count(); i++) {
            MemorySegment.copy(from, blocks.offset(i), to, blocks.offset(i), blocks.bytes(i));
        }
    }

    /**
     * Prepares scratch memory for a run of the call: results hold other bytes than they should get, so that one that is not written is noticed.
     *
     * @param expected the results that the call should have
     * @param before   the inputs
     */
    public void prepare(final MemorySegment scratch, final MemorySegment expected, final MemorySegment before) {
        scratch.asSlice(0, bytes).fill(GAP);
        for (int i = 0; i < results.count(); i++) {
            invert(expected, scratch, results.offset(i), results.bytes(i));
        }
        copyInputs(before, scratch);
    }

    private static void invert(final MemorySegment from, final MemorySegment to, final long offset, final long bytes) {
        final long words = bytes / Long.BYTES * Long.BYTES;
        for (long i = offset; i < offset + words; i += Long.BYTES) {
            to.set(ValueLayout.JAVA_LONG_UNALIGNED, i, ~from.get(ValueLayout.JAVA_LONG_UNALIGNED, i));
        }
        for (long i = offset + words; i < offset + bytes; i++) {
            to.set(ValueLayout.JAVA_BYTE, i, (byte) ~from.get(ValueLayout.JAVA_BYTE, i));
        }
    }

    /** Returns the offset of a byte of scratch memory between the blocks that a run has written though it is none of the call's; -1 if none is. */
    public long writtenGap(final MemorySegment scratch) {
        if (results.isUniform() && results.total() == bytes || inputs.total() == bytes) {
            return -1;
        }
        long at = 0;
        while (at < bytes) {
            final long end = endOfBlockAt(at);
            if (end > at) {
                at = end;
            } else if (scratch.get(ValueLayout.JAVA_BYTE, at) != GAP) {
                return at;
            } else {
                at++;
            }
        }
        return -1;
    }

    /** Returns the end of a block that holds a byte; the byte's offset where none does. */
    private long endOfBlockAt(final long at) {
        long end = at;
        for (final Blocks blocks : new Blocks[] {results, inputs}) {
            for (int i = 0; i < blocks.count(); i++) {
                if (blocks.offset(i) <= at) {
                    end = Math.max(end, blocks.offset(i) + blocks.bytes(i));
                }
            }
        }
        return end;
    }
}
