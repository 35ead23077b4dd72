package tutti.mpi.programs;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import mpi.CartComm;
import mpi.Comm;
import mpi.Datatype;
import mpi.Explanation;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import org.jspecify.annotations.Nullable;

/**
 * The program of {@code tutti tune}: measures the time of collective calls on {@code MPI.COMM_WORLD}, or between its first ranks and the other ones.
 * The first argument is the minimum duration of a series of calls in milliseconds, the second the number of ranks of the first group, or 0, the third
 * how often all is measured, and every other one is {@code OPERATION:BYTES}. For each of those, rank 0 prints a line the last time: operation,
 * selected module and algorithm with the parameters that were picked for it, bytes as rules count them, and microseconds of a call in the best of
 * {@value #SERIES} series. Where rules count no bytes, they are those of the largest buffer. All is measured twice in JVMs that start with the job,
 * since they compile most of what they run in the first time.
 *
 * <p>Calls are measured as by {@link Bench}: a barrier precedes each call, its time is that of the slowest rank, and the time of a series is the
 * median of its calls. So a rank that can leave a call before others have entered it does not make the call look fast, and tables prefer what users
 * measure. Neighbour operations are measured on a torus of two dimensions.
 */
public final class Tune {
    private static final int SERIES = 3;
    private static final int MAX_CALLS = 1 << 16;
    private static final String NEIGHBOR = "neighbor_";
    /** Number of neighbours on the torus. */
    private static final int NEIGHBORS = 4;

    private final PrintStream results;
    private final Intracomm world;
    private final int ranks;
    /** The groups; null for calls on COMM_WORLD. */
    private final @Nullable TwoGroups groups;
    /** The communicator of neighbour operations; null before the first of them. */
    private @Nullable CartComm torus;

    private Tune(final PrintStream results, final Intracomm world, final @Nullable TwoGroups groups) throws MPIException {
        this.results = results;
        this.world = world;
        this.ranks = world.getSize();
        this.groups = groups;
    }

    /** Runs the program. */
    public static void main(final String[] arguments) throws MPIException {
        final PrintStream results = Results.begin();
        final String[] args = MPI.Init(arguments);
        final double minSeconds = Double.parseDouble(args[0]) / 1e3;
        final int first = Integer.parseInt(args[1]);
        final Tune tune = new Tune(results, MPI.COMM_WORLD, first == 0 ? null : new TwoGroups(first));
        for (int left = Integer.parseInt(args[2]) - 1; left >= 0; left--) {
            for (final String point : Arrays.asList(args).subList(3, args.length)) {
                final int colon = point.indexOf(':');
                tune.measure(point.substring(0, colon), Long.parseLong(point.substring(colon + 1)), minSeconds, left == 0);
            }
        }
        MPI.Finalize();
    }

    private void measure(final String operation, final long bytes, final double minSeconds, final boolean isTold) throws MPIException {
        final RepeatedCall call = call(operation, (int) (bytes / Double.BYTES));
        int calls = 1;
        double best = series(call, calls);
        while (best * calls < minSeconds && calls < MAX_CALLS) {
            calls *= 2;
            best = series(call, calls);
        }
        for (int i = 1; i < SERIES; i++) {
            best = Math.min(best, series(call, calls));
        }
        if (isTold && world.getRank() == 0) {
            results.printf(Locale.ROOT, "%s %s %d %.3f%n", operation,
                selected(comm(operation).explain(operation, bytes)), bytes, best * 1e6);
            results.flush();
        }
    }

    private Comm comm(final String operation) throws MPIException {
        return groups != null ? groups.comm() : operation.startsWith(NEIGHBOR) ? torus() : world;
    }

    /** Returns the selected algorithm as a pick names it. */
    private static String selected(final Explanation e) {
        final String parameters = e.parameters().stream().filter(p -> ("coll." + e.operation()).equals(p.origin()))
            .map(p -> p.name() + "=" + p.value()).collect(Collectors.joining(","));
        final String module = Objects.requireNonNull(e.module(), "a module serves what was measured");
        return module.substring(0, module.indexOf(' ')) + "/" + e.algorithm() + (parameters.isEmpty() ? "" : ":" + parameters);
    }

    /** Returns the median seconds of the calls of a series, each on the slowest rank; on all ranks. */
    private double series(final RepeatedCall call, final int calls) throws MPIException {
        final double[] seconds = new double[calls];
        for (int i = 0; i < calls; i++) {
            world.barrier();
            final double begin = MPI.wtime();
            call.run();
            seconds[i] = MPI.wtime() - begin;
        }
        world.allReduce(seconds, calls, MPI.DOUBLE, MPI.MAX);
        Arrays.sort(seconds);
        return seconds[calls / 2];
    }

    /** Returns the communicator of neighbour operations. Collective at the first call. */
    private CartComm torus() throws MPIException {
        if (torus == null) {
            final int[] dims = new int[2];
            CartComm.createDims(ranks, dims);
            torus = world.createCart(dims, new boolean[] {true, true}, false);
        }
        return torus;
    }

    /** Returns a call of a neighbour operation with {@code n} doubles for all neighbours together. */
    private RepeatedCall neighborCall(final String operation, final int n) throws MPIException {
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
            case "neighbor_allgather" -> () -> comm.neighborAllGather(send, block, type, recv, block, type);
            case "neighbor_allgatherv" -> () -> comm.neighborAllGatherv(send, block, type, recv, counts, displs, type);
            case "neighbor_alltoall" -> () -> comm.neighborAllToAll(send, block, type, recv, block, type);
            case "neighbor_alltoallv" -> () -> comm.neighborAllToAllv(send, counts, displs, type, recv, counts, displs, type);
            case "neighbor_alltoallw" -> () -> comm.neighborAllToAllw(send, counts, byteDispls, types, recv, counts, byteDispls, types);
            default -> throw new IllegalArgumentException("cannot be measured: operation=" + operation);
        };
    }

    /** Returns a call with {@code n} doubles, counted as the bytes of rules are. */
    private RepeatedCall call(final String operation, final int n) throws MPIException {
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
            case "allgather" -> () -> world.allGather(send, block, type, recv, block, type);
            case "allgatherv" -> () -> world.allGatherv(send, block, type, recv, counts, displs, type);
            case "allreduce" -> () -> world.allReduce(send, recv, n, type, MPI.SUM);
            case "alltoall" -> () -> world.allToAll(send, block, type, recv, block, type);
            case "alltoallv" -> () -> world.allToAllv(send, counts, displs, type, recv, counts, displs, type);
            case "alltoallw" -> () -> world.allToAllw(send, counts, byteDispls, types, recv, counts, byteDispls, types);
            case "barrier" -> () -> world.barrier();
            case "bcast" -> () -> world.bcast(send, n, type, 0);
            case "exscan" -> () -> world.exScan(send, recv, n, type, MPI.SUM);
            case "gather" -> () -> world.gather(send, block, type, recv, block, type, 0);
            case "gatherv" -> () -> world.gatherv(send, block, type, recv, counts, displs, type, 0);
            case "reduce" -> () -> world.reduce(send, recv, n, type, MPI.SUM, 0);
            case "reduce_scatter" -> () -> world.reduceScatter(send, recv, counts, type, MPI.SUM);
            case "reduce_scatter_block" -> () -> world.reduceScatterBlock(send, recv, block, type, MPI.SUM);
            case "scan" -> () -> world.scan(send, recv, n, type, MPI.SUM);
            case "scatter" -> () -> world.scatter(send, block, type, recv, block, type, 0);
            case "scatterv" -> () -> world.scatterv(send, counts, displs, type, recv, block, type, 0);
            default -> throw new IllegalArgumentException("cannot be measured: operation=" + operation);
        };
    }
}
