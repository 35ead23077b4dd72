package tutti.coll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class CallTest {
    private static final Blocks BLOCKS = Blocks.uniform(3, 8);
    private static final Reduction OP = new Sum(4);

    /** A reduction that only has properties. */
    private record Sum(long elementBytes) implements Reduction {
        @Override
        public boolean isCommutative() {
            return true;
        }

        @Override
        public boolean isPredefined() {
            return true;
        }
    }

    @Test
    void shouldNeedNoMemoryForABarrier() {
        assertBytes(0, 0, new Call.Barrier(), 0);
    }

    @Test
    void shouldKeepTheDataOfABroadcastInTheReceiveBuffer() {
        assertBytes(0, 9, new Call.Bcast(9, 1), 1);
        assertBytes(0, 9, new Call.Bcast(9, 1), 0);
        assertBytes(0, 9, new Call.Bcast(9, Call.ROOT), 0);
        assertBytes(0, 0, new Call.Bcast(9, Call.PROC_NULL), 0);
    }

    @Test
    void shouldReturnTheReduction() {
        for (final Call call : new Call[] {new Call.Reduce(OP, 1, 0, false), new Call.Allreduce(OP, 1, false), new Call.Scan(OP, 1, false),
            new Call.ReduceScatter(OP, BLOCKS, false)}) {
            assertEquals(OP, call.reduction());
        }
        for (final Call call : new Call[] {new Call.Barrier(), new Call.Bcast(9, 0), new Call.Allgather(8, BLOCKS, true)}) {
            assertNull(call.reduction());
        }
    }

    @Test
    void shouldReturnWhetherItIsInPlace() {
        for (final boolean inPlace : new boolean[] {true, false}) {
            for (final Call call : new Call[] {new Call.Gather(8, BLOCKS, 0, inPlace), new Call.Scatter(BLOCKS, 8, 0, inPlace),
                new Call.Allgather(8, BLOCKS, inPlace), new Call.Alltoall(BLOCKS, BLOCKS, inPlace), new Call.Reduce(OP, 1, 0, inPlace),
                new Call.Allreduce(OP, 1, inPlace), new Call.Scan(OP, 1, inPlace), new Call.ReduceScatter(OP, BLOCKS, inPlace)}) {
                assertEquals(inPlace, call.inPlace());
            }
        }
        assertFalse(new Call.Bcast(9, 0).inPlace());
    }

    @Test
    void shouldReceiveAGatherAtTheRootAlone() {
        assertBytes(8, 24, new Call.Gather(8, BLOCKS, 1, false), 1);
        assertBytes(8, 0, new Call.Gather(8, null, 1, false), 0);
        assertBytes(0, 24, new Call.Gather(8, BLOCKS, 1, true), 1);
        assertEquals(Buffer.SEND.at(0, 8), new Call.Gather(8, null, 1, false).input(0));
        assertEquals(Buffer.RECV.at(8, 8), new Call.Gather(8, BLOCKS, 1, true).input(1));
    }

    @Test
    void shouldNeedNoBufferOnRanksWithoutData() {
        assertBytes(0, 24, new Call.Gather(8, BLOCKS, Call.ROOT, false), 2);
        assertBytes(0, 0, new Call.Gather(8, BLOCKS, Call.PROC_NULL, false), 2);
        assertBytes(24, 0, new Call.Scatter(BLOCKS, 8, Call.ROOT, false), 2);
        assertBytes(0, 0, new Call.Scatter(BLOCKS, 8, Call.PROC_NULL, false), 2);
        assertBytes(0, 12, new Call.Reduce(OP, 3, Call.ROOT, false), 2);
        assertBytes(0, 0, new Call.Reduce(OP, 3, Call.PROC_NULL, false), 2);
    }

    @Test
    void shouldNotTakeARankForTheRootOfTheOtherGroup() {
        final Call gather = new Call.Gather(8, BLOCKS, 2, false);
        assertEquals(8, gather.sendBytes(2, true));
        assertEquals(0, gather.recvBytes(2, true));
        assertEquals(24, gather.recvBytes(2, false));
        assertEquals(0, new Call.Gather(8, null, 2, false).recvBytes(2, true));
        assertEquals(0, new Call.Scatter(BLOCKS, 8, 2, false).sendBytes(2, true));
        assertEquals(8, new Call.Scatter(BLOCKS, 8, 2, false).recvBytes(2, true));
        assertEquals(0, new Call.Reduce(OP, 3, 2, false).recvBytes(2, true));
        assertEquals(24, new Call.Gather(8, BLOCKS, Call.ROOT, false).recvBytes(2, true));
        assertEquals(0, new Call.Reduce(null, 0, Call.PROC_NULL, false).sendBytes(2, true));
        // the blocks of these belong to the local group on either kind of communicator
        assertEquals(8, new Call.ReduceScatter(OP, Blocks.packed(4, 8), false).recvBytes(1, true));
    }

    @Test
    void shouldSendAScatterFromTheRootAlone() {
        assertBytes(24, 8, new Call.Scatter(BLOCKS, 8, 1, false), 1);
        assertBytes(0, 8, new Call.Scatter(null, 8, 1, false), 0);
        assertBytes(24, 0, new Call.Scatter(BLOCKS, 8, 1, true), 1);
    }

    @Test
    void shouldReadTheBlockOfAnAllgatherInPlaceFromTheReceiveBuffer() {
        assertBytes(8, 24, new Call.Allgather(8, BLOCKS, false), 2);
        assertBytes(0, 24, new Call.Allgather(8, BLOCKS, true), 2);
        assertEquals(Buffer.SEND.at(0, 8), new Call.Allgather(8, BLOCKS, false).input(2));
        assertEquals(Buffer.RECV.at(16, 8), new Call.Allgather(8, BLOCKS, true).input(2));
    }

    @Test
    void shouldSizeAlltoallBuffersByTheEndOfTheBlocks() {
        final Blocks spread = Blocks.of(new long[] {2, 2, 2}, new long[] {20, 0, 10});
        assertBytes(22, 24, new Call.Alltoall(spread, BLOCKS, false), 0);
        assertBytes(0, 22, new Call.Alltoall(spread, spread, true), 0);
    }

    @Test
    void shouldReceiveAReductionAtTheRootAlone() {
        assertBytes(12, 12, new Call.Reduce(OP, 3, 1, false), 1);
        assertBytes(12, 0, new Call.Reduce(OP, 3, 1, false), 0);
        assertBytes(0, 12, new Call.Reduce(OP, 3, 1, true), 1);
        assertEquals(Buffer.SEND.at(0, 12), new Call.Reduce(OP, 3, 1, false).input());
        assertEquals(Buffer.RECV.at(0, 12), new Call.Reduce(OP, 3, 1, true).input());
    }

    @Test
    void shouldReadContributionsInPlaceFromTheReceiveBuffer() {
        assertBytes(12, 12, new Call.Allreduce(OP, 3, false), 0);
        assertBytes(0, 12, new Call.Allreduce(OP, 3, true), 0);
        assertEquals(Buffer.RECV.at(0, 12), new Call.Allreduce(OP, 3, true).input());
        assertBytes(12, 12, new Call.Scan(OP, 3, false), 0);
        assertBytes(0, 12, new Call.Scan(OP, 3, true), 0);
        assertEquals(Buffer.SEND.at(0, 12), new Call.Scan(OP, 3, false).input());
    }

    @Test
    void shouldReceiveOneBlockOfAReduceScatterUnlessInPlace() {
        final Blocks blocks = Blocks.packed(4, 0, 8);
        assertBytes(12, 8, new Call.ReduceScatter(OP, blocks, false), 2);
        assertBytes(12, 0, new Call.ReduceScatter(OP, blocks, false), 1);
        assertBytes(0, 12, new Call.ReduceScatter(OP, blocks, true), 1);
        assertEquals(Buffer.RECV.at(0, 12), new Call.ReduceScatter(OP, blocks, true).input());
    }

    @Test
    void shouldSizeNeighbourBuffersByTheEndOfTheBlocks() {
        final Neighbors neighbors = Neighbors.of(new int[] {1, Call.PROC_NULL, 1}, new int[] {2});
        assertBytes(8, 24, new Call.NeighborAllgather(neighbors, 8, BLOCKS), 0);
        assertBytes(5, 24, new Call.NeighborAlltoall(neighbors, Blocks.packed(5), BLOCKS), 0);
    }

    @Test
    void shouldCompareNeighboursByTheirLists() {
        final int[] sources = {1, Call.PROC_NULL};
        final Neighbors neighbors = Neighbors.of(sources, new int[] {2});
        sources[0] = 7;
        assertEquals(1, neighbors.source(0));
        assertEquals(2, neighbors.sources());
        assertEquals(2, neighbors.destination(0));
        assertEquals(1, neighbors.destinations());
        assertEquals(Neighbors.of(new int[] {1, Call.PROC_NULL}, new int[] {2}), neighbors);
        assertEquals(Neighbors.of(new int[] {1, Call.PROC_NULL}, new int[] {2}).hashCode(), neighbors.hashCode());
        assertNotEquals(Neighbors.of(new int[] {Call.PROC_NULL, 1}, new int[] {2}), neighbors);
        assertNotEquals(Neighbors.of(new int[] {1, Call.PROC_NULL}, new int[] {2, 2}), neighbors);
        assertEquals("from [1, -2] to [2]", neighbors.toString());
        assertEquals("destination out of range: index=1, rank=-1",
            assertThrows(IllegalArgumentException.class, () -> Neighbors.of(sources, new int[] {0, -1})).getMessage());
    }

    @Test
    void shouldBeAKey() {
        assertEquals(new Call.Allreduce(new Sum(4), 3, false), new Call.Allreduce(OP, 3, false));
        assertEquals(new Call.Allgather(8, Blocks.uniform(3, 8), false).hashCode(), new Call.Allgather(8, BLOCKS, false).hashCode());
        assertNotEquals(new Call.Allreduce(OP, 3, true), new Call.Allreduce(OP, 3, false));
        final Neighbors neighbors = Neighbors.of(new int[] {1}, new int[] {2});
        assertEquals(new Call.NeighborAlltoall(neighbors, BLOCKS, BLOCKS),
            new Call.NeighborAlltoall(Neighbors.of(new int[] {1}, new int[] {2}), BLOCKS, BLOCKS));
        assertNotEquals(new Call.NeighborAlltoall(neighbors, BLOCKS, BLOCKS),
            new Call.NeighborAlltoall(Neighbors.of(new int[] {2}, new int[] {1}), BLOCKS, BLOCKS));
        assertNotEquals(new Call.Allreduce(new Sum(8), 3, false), new Call.Allreduce(OP, 3, false));
    }

    private static void assertBytes(final long send, final long recv, final Call call, final int rank) {
        assertEquals(send, call.sendBytes(rank), () -> "send of " + call);
        assertEquals(recv, call.recvBytes(rank), () -> "recv of " + call);
    }
}
