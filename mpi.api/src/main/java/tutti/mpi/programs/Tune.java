package tutti.mpi.programs;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import mpi.CartComm;
import mpi.Comm;
import mpi.Datatype;
import mpi.Explanation;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * The program of {@code tutti tune}: measures the time of collective calls on {@code MPI.COMM_WORLD}, or between its first ranks and the other ones.
 * The first argument is the minimum duration of a series of calls in milliseconds, the second the number of ranks of the first group, or 0, and every
 * other one is {@code OPERATION:BYTES}. For each of those, rank 0 prints a line: operation, selected
 * module and algorithm with the parameters that were picked for it, bytes as rules count them, and microseconds per call, on the slowest rank in the
 * best of {@value #SERIES} series. Where rules count no bytes, they are those of the largest buffer.
 *
 * <p>Neighbour operations are measured on a torus of two dimensions.
 *
 * <p>The calls of a series follow each other at once. If a rank can leave a call before others have entered it, calls would overlap and a long
 * chain would look fast. Therefore the root rotates from call to call, and after a scan or exscan the first rank waits for a message of the last.
 */
public final class Tune {
    private static final int SERIES = 3;
    private static final int MAX_CALLS = 1 << 20;
    private static final int TAG = 0;
    private static final byte[] NOTHING = {};
    private static final String NEIGHBOR = "neighbor_";
    /** Number of neighbours on the torus. */
    private static final int NEIGHBORS = 4;

    private static Intracomm world;
    private static int ranks;
    private static CartComm torus;
    /** The groups; null for calls on COMM_WORLD. */
    private static TwoGroups groups;

    private Tune() {}

    /** Runs the program. */
    public static void main(final String[] arguments) throws MPIException {
        final String[] args = MPI.Init(arguments);
        world = MPI.COMM_WORLD;
        ranks = world.getSize();
        final double minSeconds = Double.parseDouble(args[0]) / 1e3;
        final int first = Integer.parseInt(args[1]);
        groups = first == 0 ? null : new TwoGroups(first);
        for (final String point : Arrays.asList(args).subList(2, args.length)) {
            final int colon = point.indexOf(':');
            measure(point.substring(0, colon), Long.parseLong(point.substring(colon + 1)), minSeconds);
        }
        MPI.Finalize();
    }

    private static void measure(final String operation, final long bytes, final double minSeconds) throws MPIException {
        final RepeatedCall call = call(operation, (int) (bytes / Double.BYTES));
        int calls = 1;
        double best = series(call, calls);
        while (best < minSeconds && calls < MAX_CALLS) {
            calls *= 2;
            best = series(call, calls);
        }
        for (int i = 1; i < SERIES; i++) {
            best = Math.min(best, series(call, calls));
        }
        if (world.getRank() == 0) {
            System.out.printf(Locale.ROOT, "%s %s %d %.3f%n", operation,
                selected(comm(operation).explain(operation, bytes)), bytes, best / calls * 1e6);
            System.out.flush();
        }
    }

    private static Comm comm(final String operation) throws MPIException {
        return groups != null ? groups.comm() : operation.startsWith(NEIGHBOR) ? torus() : world;
    }

    /** Returns the selected algorithm as a pick names it. */
    private static String selected(final Explanation e) {
        final String parameters = e.parameters().stream().filter(p -> ("coll." + e.operation()).equals(p.origin()))
            .map(p -> p.name() + "=" + p.value()).collect(Collectors.joining(","));
        return e.module().substring(0, e.module().indexOf(' ')) + "/" + e.algorithm() + (parameters.isEmpty() ? "" : ":" + parameters);
    }

    /** Returns the seconds of a series on the slowest rank, on all ranks. */
    private static double series(final RepeatedCall call, final int calls) throws MPIException {
        world.barrier();
        final double begin = MPI.wtime();
        for (int i = 0; i < calls; i++) {
            call.run(i % ranks);
        }
        final double[] seconds = {MPI.wtime() - begin};
        world.allReduce(seconds, 1, MPI.DOUBLE, MPI.MAX);
        return seconds[0];
    }

    /** Returns the communicator of neighbour operations. Collective at the first call. */
    private static CartComm torus() throws MPIException {
        if (torus == null) {
            final int[] dims = new int[2];
            CartComm.createDims(ranks, dims);
            torus = world.createCart(dims, new boolean[] {true, true}, false);
        }
        return torus;
    }

    /** Returns a call of a neighbour operation with {@code n} doubles for all neighbours together. */
    private static RepeatedCall neighborCall(final String operation, final int n) throws MPIException {
        final CartComm comm = torus();
        final int block = Math.max(1, n / NEIGHBORS);
        final double[] send = new double[block * NEIGHBORS];
        final double[] recv = new double[block * NEIGHBORS];
        final Datatype type = MPI.DOUBLE;
        final int[] counts = new int[NEIGHBORS];
        final int[] displs = new int[NEIGHBORS];
        final int[] byteDispls = new int[NEIGHBORS];
        final Datatype[] types = new Datatype[NEIGHBORS];
        Arrays.fill(counts, block);
        Arrays.setAll(displs, r -> r * block);
        Arrays.setAll(byteDispls, r -> r * block * Double.BYTES);
        Arrays.fill(types, type);
        return switch (operation) {
            case "neighbor_allgather" -> root -> comm.neighborAllGather(send, block, type, recv, block, type);
            case "neighbor_allgatherv" -> root -> comm.neighborAllGatherv(send, block, type, recv, counts, displs, type);
            case "neighbor_alltoall" -> root -> comm.neighborAllToAll(send, block, type, recv, block, type);
            case "neighbor_alltoallv" -> root -> comm.neighborAllToAllv(send, counts, displs, type, recv, counts, displs, type);
            case "neighbor_alltoallw" -> root -> comm.neighborAllToAllw(send, counts, byteDispls, types, recv, counts, byteDispls, types);
            default -> throw new IllegalArgumentException("cannot be measured: operation=" + operation);
        };
    }

    /** Returns a call with {@code n} doubles, counted as the bytes of rules are. */
    private static RepeatedCall call(final String operation, final int n) throws MPIException {
        if (groups != null) {
            return groups.call(operation, n);
        }
        if (operation.startsWith(NEIGHBOR)) {
            return neighborCall(operation, n);
        }
        final int block = Math.max(1, n / ranks);
        final int all = Math.max(n, block * ranks);
        final double[] send = new double[all];
        final double[] recv = new double[all];
        final Datatype type = MPI.DOUBLE;
        final int[] counts = new int[ranks];
        final int[] displs = new int[ranks];
        final int[] byteDispls = new int[ranks];
        final Datatype[] types = new Datatype[ranks];
        Arrays.fill(counts, block);
        Arrays.setAll(displs, r -> r * block);
        Arrays.setAll(byteDispls, r -> r * block * Double.BYTES);
        Arrays.fill(types, type);
        return switch (operation) {
            case "allgather" -> root -> world.allGather(send, block, type, recv, block, type);
            case "allgatherv" -> root -> world.allGatherv(send, block, type, recv, counts, displs, type);
            case "allreduce" -> root -> world.allReduce(send, recv, n, type, MPI.SUM);
            case "alltoall" -> root -> world.allToAll(send, block, type, recv, block, type);
            case "alltoallv" -> root -> world.allToAllv(send, counts, displs, type, recv, counts, displs, type);
            case "alltoallw" -> root -> world.allToAllw(send, counts, byteDispls, types, recv, counts, byteDispls, types);
            case "barrier" -> root -> world.barrier();
            case "bcast" -> root -> world.bcast(send, n, type, root);
            case "exscan" -> root -> {
                world.exScan(send, recv, n, type, MPI.SUM);
                sendFromLastToFirst();
            };
            case "gather" -> root -> world.gather(send, block, type, recv, block, type, root);
            case "gatherv" -> root -> world.gatherv(send, block, type, recv, counts, displs, type, root);
            case "reduce" -> root -> world.reduce(send, recv, n, type, MPI.SUM, root);
            case "reduce_scatter" -> root -> world.reduceScatter(send, recv, counts, type, MPI.SUM);
            case "reduce_scatter_block" -> root -> world.reduceScatterBlock(send, recv, block, type, MPI.SUM);
            case "scan" -> root -> {
                world.scan(send, recv, n, type, MPI.SUM);
                sendFromLastToFirst();
            };
            case "scatter" -> root -> world.scatter(send, block, type, recv, block, type, root);
            case "scatterv" -> root -> world.scatterv(send, counts, displs, type, recv, block, type, root);
            default -> throw new IllegalArgumentException("cannot be measured: operation=" + operation);
        };
    }

    /** Makes the first rank, on which all others depend, wait until the last rank, which depends on all, has finished the call. */
    private static void sendFromLastToFirst() throws MPIException {
        if (world.getRank() == ranks - 1) {
            world.send(NOTHING, 0, MPI.BYTE, 0, TAG);
        }
        if (world.getRank() == 0) {
            world.recv(NOTHING, 0, MPI.BYTE, ranks - 1, TAG);
        }
    }
}
