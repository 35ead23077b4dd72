package tutti.mpi.programs;

import java.util.Arrays;
import mpi.Datatype;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/** An intercommunicator of the first ranks of {@code MPI.COMM_WORLD} and the other ones, and calls on it that programs measure. For one thread. */
final class TwoGroups {
    private static final int TAG = 0;

    private final boolean isFirst;
    private final Intercomm comm;
    private final int ranks;
    private final int remote;

    /** Creates the intercommunicator. All ranks call it; {@code first} is the number of ranks of the first group. */
    TwoGroups(final int first) throws MPIException {
        final Intracomm world = MPI.COMM_WORLD;
        this.isFirst = world.getRank() < first;
        this.comm = world.createIntercomm(world.split(isFirst ? 0 : 1, world.getRank()), 0, isFirst ? first : 0, TAG);
        this.ranks = comm.getSize();
        this.remote = comm.getRemoteSize();
    }

    Intercomm comm() {
        return comm;
    }

    /** Returns a call with {@code n} doubles, counted as the bytes of rules are. Rank 0 of the first group is the root. */
    RepeatedCall call(final String operation, final int n) throws MPIException {
        final Datatype type = MPI.DOUBLE;
        final int block = Math.max(1, n / (ranks + remote));
        final int rooted = Math.max(1, n / (isFirst ? remote : ranks));
        final int root = !isFirst ? 0 : comm.getRank() == 0 ? MPI.ROOT : MPI.PROC_NULL;
        final int contributed = ranks * remote * Math.max(1, n / (ranks * remote));
        final double[] send = new double[Math.max(Math.max(n, contributed), Math.max(rooted, block) * (ranks + remote))];
        final double[] recv = new double[send.length];
        final int[] counts = new int[remote];
        final int[] displs = new int[remote];
        final int[] byteDispls = new int[remote];
        final Datatype[] types = new Datatype[remote];
        final int[] own = new int[ranks];
        Arrays.fill(counts, block);
        Arrays.setAll(displs, r -> r * block);
        Arrays.setAll(byteDispls, r -> r * block * Double.BYTES);
        Arrays.fill(types, type);
        Arrays.fill(own, contributed / ranks);
        return switch (operation) {
            case "allgather" -> () -> comm.allGather(send, block, type, recv, block, type);
            case "allgatherv" -> () -> comm.allGatherv(send, block, type, recv, counts, displs, type);
            case "allreduce" -> () -> comm.allReduce(send, recv, n, type, MPI.SUM);
            case "alltoall" -> () -> comm.allToAll(send, block, type, recv, block, type);
            case "alltoallv" -> () -> comm.allToAllv(send, counts, displs, type, recv, counts, displs, type);
            case "alltoallw" -> () -> comm.allToAllw(send, counts, byteDispls, types, recv, counts, byteDispls, types);
            case "barrier" -> () -> comm.barrier();
            case "bcast" -> () -> comm.bcast(send, n, type, root);
            case "gather" -> () -> comm.gather(send, rooted, type, recv, rooted, type, root);
            case "gatherv" -> () -> comm.gatherv(send, block, type, recv, counts, displs, type, root);
            case "reduce" -> () -> comm.reduce(send, recv, n, type, MPI.SUM, root);
            case "reduce_scatter" -> () -> comm.reduceScatter(send, recv, own, type, MPI.SUM);
            case "reduce_scatter_block" -> () -> comm.reduceScatterBlock(send, recv, own[0], type, MPI.SUM);
            case "scatter" -> () -> comm.scatter(send, rooted, type, recv, rooted, type, root);
            case "scatterv" -> () -> comm.scatterv(send, counts, displs, type, recv, block, type, root);
            default -> throw new IllegalArgumentException("cannot be measured between groups: operation=" + operation);
        };
    }
}
