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

    private final int first;
    private final boolean isFirst;
    private final Intercomm comm;
    private final int ranks;
    private final int remote;

    /** Creates the intercommunicator. All ranks call it; {@code first} is the number of ranks of the first group. */
    TwoGroups(final int first) throws MPIException {
        final Intracomm world = MPI.COMM_WORLD;
        this.first = first;
        this.isFirst = world.getRank() < first;
        this.comm = world.createIntercomm(world.split(isFirst ? 0 : 1, world.getRank()), 0, isFirst ? first : 0, TAG);
        this.ranks = comm.getSize();
        this.remote = comm.getRemoteSize();
    }

    Intercomm comm() {
        return comm;
    }

    /** Returns the root that this rank gives where a rank of COMM_WORLD is the root. */
    private int root(final int worldRank) throws MPIException {
        final boolean isRootFirst = worldRank < first;
        final int root = isRootFirst ? worldRank : worldRank - first;
        return isRootFirst != isFirst ? root : comm.getRank() == root ? MPI.ROOT : MPI.PROC_NULL;
    }

    /** Returns a call with {@code n} doubles, counted as the bytes of rules are; its argument is the root's rank in COMM_WORLD. */
    RepeatedCall call(final String operation, final int n) throws MPIException {
        final Datatype type = MPI.DOUBLE;
        final int block = Math.max(1, n / (ranks + remote));
        final int ofFirst = Math.max(1, n / first);
        final int ofSecond = Math.max(1, n / (ranks + remote - first));
        final int contributed = ranks * remote * Math.max(1, n / (ranks * remote));
        final double[] send = new double[Math.max(n, Math.max(contributed, Math.max(ofFirst, ofSecond) * (ranks + remote)))];
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
            case "allgather" -> root -> comm.allGather(send, block, type, recv, block, type);
            case "allgatherv" -> root -> comm.allGatherv(send, block, type, recv, counts, displs, type);
            case "allreduce" -> root -> comm.allReduce(send, recv, n, type, MPI.SUM);
            case "alltoall" -> root -> comm.allToAll(send, block, type, recv, block, type);
            case "alltoallv" -> root -> comm.allToAllv(send, counts, displs, type, recv, counts, displs, type);
            case "alltoallw" -> root -> comm.allToAllw(send, counts, byteDispls, types, recv, counts, byteDispls, types);
            case "barrier" -> root -> comm.barrier();
            case "bcast" -> root -> comm.bcast(send, n, type, root(root));
            case "gather" -> root -> {
                final int each = root < first ? ofSecond : ofFirst;
                comm.gather(send, each, type, recv, each, type, root(root));
            };
            case "gatherv" -> root -> comm.gatherv(send, block, type, recv, counts, displs, type, root(root));
            case "reduce" -> root -> comm.reduce(send, recv, n, type, MPI.SUM, root(root));
            case "reduce_scatter" -> root -> comm.reduceScatter(send, recv, own, type, MPI.SUM);
            case "reduce_scatter_block" -> root -> comm.reduceScatterBlock(send, recv, own[0], type, MPI.SUM);
            case "scatter" -> root -> {
                final int each = root < first ? ofSecond : ofFirst;
                comm.scatter(send, each, type, recv, each, type, root(root));
            };
            case "scatterv" -> root -> comm.scatterv(send, counts, displs, type, recv, block, type, root(root));
            default -> throw new IllegalArgumentException("cannot be measured between groups: operation=" + operation);
        };
    }
}
