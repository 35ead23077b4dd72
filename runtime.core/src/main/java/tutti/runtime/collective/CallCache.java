package tutti.runtime.collective;

import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Reduction;

/**
 * Keeps the latest call of each kind, so that a program that repeats its calls allocates nothing for them.
 *
 * <p><b>Threads.</b> Safe for any thread. Threads may write concurrently: calls are immutable, and it does not matter which one is kept.
 */
final class CallCache {
    private final int ranks;
    private Blocks blocks;
    private Call.Bcast bcast = new Call.Bcast(0, 0);
    private Call.@Nullable Gather gather;
    private Call.@Nullable Scatter scatter;
    private Call.@Nullable Allgather allgather;
    private Call.@Nullable Alltoall alltoall;
    private Call.@Nullable Reduce reduce;
    private Call.@Nullable Allreduce allreduce;
    private Call.@Nullable ReduceScatter reduceScatter;
    private Call.@Nullable Scan scan;

    /** Creates a cache; {@code ranks} is the number of uniform blocks of a call. */
    CallCache(final int ranks) {
        this.ranks = ranks;
        this.blocks = Blocks.uniform(ranks, 0);
    }

    /** Returns a layout of one block per rank, each of {@code bytes} bytes. */
    Blocks uniform(final long bytes) {
        Blocks layout = blocks;
        if (layout.bytes(0) != bytes) {
            layout = Blocks.uniform(ranks, bytes);
            blocks = layout;
        }
        return layout;
    }

    Call.Bcast bcast(final long bytes, final int root) {
        Call.Bcast call = bcast;
        if (call.bytes() != bytes || call.root() != root) {
            call = new Call.Bcast(bytes, root);
            bcast = call;
        }
        return call;
    }

    Call.Gather gather(final long sendBytes, final Blocks recv, final int root, final boolean inPlace) {
        Call.Gather call = gather;
        if (call == null || call.sendBytes() != sendBytes || call.recv() != recv || call.root() != root || call.inPlace() != inPlace) {
            call = new Call.Gather(sendBytes, recv, root, inPlace);
            gather = call;
        }
        return call;
    }

    Call.Scatter scatter(final Blocks send, final long recvBytes, final int root, final boolean inPlace) {
        Call.Scatter call = scatter;
        if (call == null || call.send() != send || call.recvBytes() != recvBytes || call.root() != root || call.inPlace() != inPlace) {
            call = new Call.Scatter(send, recvBytes, root, inPlace);
            scatter = call;
        }
        return call;
    }

    Call.Allgather allgather(final long sendBytes, final Blocks recv, final boolean inPlace) {
        Call.Allgather call = allgather;
        if (call == null || call.sendBytes() != sendBytes || call.recv() != recv || call.inPlace() != inPlace) {
            call = new Call.Allgather(sendBytes, recv, inPlace);
            allgather = call;
        }
        return call;
    }

    Call.Alltoall alltoall(final Blocks send, final Blocks recv, final boolean inPlace) {
        Call.Alltoall call = alltoall;
        if (call == null || call.send() != send || call.recv() != recv || call.inPlace() != inPlace) {
            call = new Call.Alltoall(send, recv, inPlace);
            alltoall = call;
        }
        return call;
    }

    Call.Reduce reduce(final Reduction reduction, final long count, final int root, final boolean inPlace) {
        Call.Reduce call = reduce;
        if (call == null || call.reduction() != reduction || call.count() != count || call.root() != root || call.inPlace() != inPlace) {
            call = new Call.Reduce(reduction, count, root, inPlace);
            reduce = call;
        }
        return call;
    }

    Call.Allreduce allreduce(final Reduction reduction, final long count, final boolean inPlace) {
        Call.Allreduce call = allreduce;
        if (call == null || call.reduction() != reduction || call.count() != count || call.inPlace() != inPlace) {
            call = new Call.Allreduce(reduction, count, inPlace);
            allreduce = call;
        }
        return call;
    }

    Call.ReduceScatter reduceScatter(final Reduction reduction, final Blocks layout, final boolean inPlace) {
        Call.ReduceScatter call = reduceScatter;
        if (call == null || call.reduction() != reduction || call.blocks() != layout || call.inPlace() != inPlace) {
            call = new Call.ReduceScatter(reduction, layout, inPlace);
            reduceScatter = call;
        }
        return call;
    }

    Call.Scan scan(final Reduction reduction, final long count, final boolean inPlace) {
        Call.Scan call = scan;
        if (call == null || call.reduction() != reduction || call.count() != count || call.inPlace() != inPlace) {
            call = new Call.Scan(reduction, count, inPlace);
            scan = call;
        }
        return call;
    }
}
