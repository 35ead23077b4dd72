package tutti.runtime.collective;

import java.util.Set;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.context.CommContext;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * A sample call for introspection: with a send buffer, blocks of one size, and the sum of doubles as reduction. Where the bytes are not a
 * multiple of the size of a double, the reduction is the bitwise or of bytes.
 *
 * @param call  the call as a rank would make it
 * @param bytes bytes of the data; of operations with blocks, of all blocks
 * @param block bytes of a block; -1 where there are none
 * @param data  datatype and operation of the reduction in words; empty where there is none
 */
record SampleCall(Call call, long bytes, long block, String data) {
    private static final Set<Operation<?>> WITHOUT_BLOCKS = Set.of(Operation.BCAST, Operation.REDUCE, Operation.ALLREDUCE, Operation.SCAN,
        Operation.EXSCAN);

    /** Returns the sample call of one rank of an intracommunicator. */
    static SampleCall of(final CommContext comm, final Operation<?> operation, final long bytes, final int root) {
        if (comm.isInter()) {
            // Remedy: an intracommunicator.
            throw new MpiFailure(ErrorClass.COMM, "plans can be read on intracommunicators only: communicator=" + comm.name());
        }
        if (bytes < 0) {
            // Cause: a size that is asked for is below 0. Remedy: 0 or more.
            throw new MpiFailure(ErrorClass.COUNT, "bytes out of range: bytes=" + bytes + ", min=0");
        }
        if (root < 0 || root >= comm.size()) {
            throw new MpiFailure(ErrorClass.ROOT, "root out of range: root=" + root + ", size=" + comm.size());
        }
        if (operation == Operation.BARRIER) {
            return new SampleCall(new Call.Barrier(), 0, -1, "");
        }
        final boolean whole = WITHOUT_BLOCKS.contains(operation);
        final long each = whole ? bytes : Math.max(Math.min(bytes, 1), bytes / comm.size());
        final boolean doubles = each % Datatype.DOUBLE.size() == 0;
        final BoundReduction reduction = doubles ? Op.SUM.bind(Datatype.DOUBLE) : Op.BOR.bind(Datatype.BYTE);
        final Call call = call(operation, each, Blocks.uniform(comm.size(), each), reduction, root, comm.rank() == root);
        return new SampleCall(call, whole ? each : each * comm.size(), whole ? -1 : each,
            call.reduction() != null ? doubles ? "DOUBLE SUM" : "BYTE BOR" : "");
    }

    private static Call call(final Operation<?> operation, final long bytes, final Blocks blocks, final BoundReduction reduction, final int root,
        final boolean isRoot) {
        final long count = bytes / reduction.elementBytes();
        return switch (operation.id()) {
            case "bcast" -> new Call.Bcast(bytes, root);
            case "gather" -> new Call.Gather(bytes, blocks, root, false);
            case "gatherv" -> new Call.Gather(bytes, isRoot ? blocks : null, root, false);
            case "scatter" -> new Call.Scatter(blocks, bytes, root, false);
            case "scatterv" -> new Call.Scatter(isRoot ? blocks : null, bytes, root, false);
            case "allgather", "allgatherv" -> new Call.Allgather(bytes, blocks, false);
            case "alltoall", "alltoallv", "alltoallw" -> new Call.Alltoall(blocks, blocks, false);
            case "reduce" -> new Call.Reduce(reduction, count, root, false);
            case "allreduce" -> new Call.Allreduce(reduction, count, false);
            case "scan", "exscan" -> new Call.Scan(reduction, count, false);
            case "reduce_scatter", "reduce_scatter_block" -> new Call.ReduceScatter(reduction, blocks, false);
            // Remedy: a communicator of `createCart`, `createGraph` or `createDistGraph`.
            default -> throw new MpiFailure(ErrorClass.TOPOLOGY, operation + " needs a communicator with neighbours");
        };
    }
}
