package tutti.mpi.programs;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import mpi.Comm;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/**
 * The program of {@code tutti bench}: measures the time of calls on {@code MPI.COMM_WORLD}. Each argument is
 * {@code OPERATION:BYTES:CALLS:WARMUP}. For each of those, rank 0 prints a line of a table. Buffers are arrays, or direct memory if an argument is
 * {@value #DIRECT}; windows allocate their memory, or are of a buffer if one is {@value #CREATE}. {@code bench/src/c/collbench.c} is the same
 * program in C: both must measure and print alike.
 *
 * <p>Procedure: a barrier precedes each call; the time of a call is the maximum over the ranks, by an allreduce; the first {@code WARMUP} calls do
 * not count. When the calls of a row have taken {@value #ROW_SECONDS} s, the row has as many calls as were measured until then, and at the least
 * {@value #LEAST_CALLS}. Ranks 0 and 1 exchange messages for {@code pingpong}, there and back, and for {@code bandwidth}, where rank 0 sends
 * {@value #WINDOW} messages without waiting and rank 1 acknowledges them all. A {@code vector} is a pingpong of one element of a vector datatype:
 * blocks of {@value #VECTOR_BLOCK} doubles, with gaps as long as the blocks. {@code BYTES} is the size of a message without gaps, of the data of a
 * rooted operation, an allreduce or a reduce_scatter, and of one block of an allgather or alltoall. {@link WindowCalls} has those on windows.
 */
public final class Bench {
    private static final int WINDOW = 64;
    private static final int TAG = 0;
    private static final int ROW_SECONDS = 10;
    private static final int LEAST_CALLS = 3;
    private static final int VECTOR_BLOCK = 8;
    private static final String DIRECT = "direct";
    private static final String CREATE = "create";
    private static final String VECTOR = "vector";
    /** Operations with a block per rank in a buffer. */
    private static final List<String> BLOCKS = List.of("allgather", "alltoall");

    private final PrintStream results;
    private final Intracomm world;
    private final int rank;
    private final int ranks;
    /** Buffers of all calls: memory that is touched for the first time would be measured otherwise. */
    private final Object send;
    private final Object recv;
    private final boolean isCreated;

    private Bench(final PrintStream results, final Intracomm world, final Object send, final Object recv, final boolean isCreated)
        throws MPIException {
        this.results = results;
        this.world = world;
        this.rank = world.getRank();
        this.ranks = world.getSize();
        this.send = send;
        this.recv = recv;
        this.isCreated = isCreated;
    }

    /** Runs the program. */
    public static void main(final String[] arguments) throws MPIException {
        final PrintStream results = Results.begin();
        final List<String> given = List.of(MPI.Init(arguments));
        final boolean isDirect = given.contains(DIRECT);
        final List<String> args = given.stream().filter(a -> !a.equals(DIRECT) && !a.equals(CREATE)).toList();
        final int ranks = MPI.COMM_WORLD.getSize();
        if (ranks < 2) {
            System.err.println("tutti bench: at least 2 ranks are needed: give -n");
            System.exit(2);
        }
        int length = ranks;
        for (final String arg : args) {
            final String[] words = arg.split(":");
            final int copies = BLOCKS.contains(words[0]) ? ranks : words[0].equals(VECTOR) ? 2 : 1;
            length = Math.max(length, Math.multiplyExact(elements(words), copies));
        }
        new Bench(results, MPI.COMM_WORLD, buffer(isDirect, length), buffer(isDirect, length), given.contains(CREATE)).run(isDirect, args);
        MPI.Finalize();
    }

    private static Object buffer(final boolean isDirect, final int length) {
        return isDirect ? MPI.newDoubleBuffer(length) : new double[length];
    }

    private void run(final boolean isDirect, final List<String> args) throws MPIException {
        final int nodes = nodes();
        if (rank == 0) {
            results.printf("# %d ranks on %d node%s: %s, Java %s%s%n", ranks, nodes, nodes == 1 ? "" : "s", MPI.getLibVersion(),
                System.getProperty("java.version"), isDirect ? ", direct buffers" : "");
            results.printf("%-14s %9s %7s %11s %11s %11s %11s %11s%n", "operation", "bytes", "calls", "min[us]", "p50[us]", "p90[us]", "p99[us]",
                "MB/s");
        }
        for (final String arg : args) {
            final String[] words = arg.split(":");
            measure(words[0], elements(words), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
        }
    }

    private static int elements(final String[] words) {
        return Integer.parseInt(words[1]) / Double.BYTES;
    }

    private int nodes() throws MPIException {
        final Intracomm node = world.splitType(Comm.TYPE_SHARED, 0, MPI.INFO_NULL);
        final int[] nodes = {node.getRank() == 0 ? 1 : 0};
        node.free();
        world.allReduce(nodes, 1, MPI.INT, MPI.SUM);
        return nodes[0];
    }

    private void measure(final String operation, final int elements, final int calls, final int warmup) throws MPIException {
        final Datatype type = operation.equals(VECTOR) ? vector(elements) : MPI.DOUBLE;
        final WindowCalls window = WindowCalls.OPERATIONS.contains(operation) ? new WindowCalls(world, operation, send, recv, elements, isCreated)
            : null;
        final RepeatedCall call = window == null ? call(operation, elements, type) : window::run;
        final boolean barrier = operation.equals("barrier");
        final double[] micros = new double[calls];
        final double[] time = new double[1];
        final double[] slowest = new double[1];
        // equal on all ranks, as the times of the slowest rank are
        double spent = 0;
        int measured = 0;
        for (int i = -warmup; i < calls && (spent < ROW_SECONDS * 1e6 || measured < LEAST_CALLS); i++) {
            if (!barrier) {
                world.barrier();
            }
            final double begin = MPI.wtime();
            call.run();
            time[0] = window == null || window.isMeasured() ? (MPI.wtime() - begin) * 1e6 : 0;
            world.allReduce(time, slowest, 1, MPI.DOUBLE, MPI.MAX);
            spent += slowest[0];
            if (i >= 0) {
                micros[measured++] = slowest[0];
            } else if (spent >= ROW_SECONDS * 1e6) {
                // the first calls have taken long enough
                i = -1;
            }
        }
        if (window != null) {
            window.close();
        }
        if (operation.equals(VECTOR)) {
            type.free();
        }
        if (rank == 0) {
            Arrays.sort(micros, 0, measured);
            final int bytes = elements * Double.BYTES;
            final double median = micros[measured / 2];
            results.printf(Locale.ROOT, "%-14s %9d %7d %11.2f %11.2f %11.2f %11.2f %11s%n", operation, bytes, measured, micros[0], median,
                micros[(int) (measured * 90L / 100)], micros[(int) (measured * 99L / 100)],
                operation.equals("bandwidth") ? String.format(Locale.ROOT, "%.1f", (double) WINDOW * bytes / median) : "-");
            results.flush();
        }
    }

    /** Returns a datatype of {@code n} doubles in blocks; blocks are shorter where {@code n} is not a multiple of their length. */
    private static Datatype vector(final int n) throws MPIException {
        final int block = Integer.lowestOneBit(n | VECTOR_BLOCK);
        final Datatype vector = Datatype.createVector(n / block, block, 2 * block, MPI.DOUBLE);
        vector.commit();
        return vector;
    }

    private RepeatedCall call(final String operation, final int n, final Datatype type) {
        final int block = Math.max(1, n / ranks);
        final int[] counts = new int[ranks];
        Arrays.fill(counts, block);
        final Request[] requests = new Request[WINDOW];
        return switch (operation) {
            case "pingpong" -> () -> pingpong(n, type);
            case VECTOR -> () -> pingpong(1, type);
            case "bandwidth" -> () -> window(n, requests);
            case "barrier" -> () -> world.barrier();
            case "bcast" -> () -> world.bcast(send, n, MPI.DOUBLE, 0);
            case "reduce" -> () -> world.reduce(send, recv, n, MPI.DOUBLE, MPI.SUM, 0);
            case "allreduce" -> () -> world.allReduce(send, recv, n, MPI.DOUBLE, MPI.SUM);
            case "allgather" -> () -> world.allGather(send, n, MPI.DOUBLE, recv, n, MPI.DOUBLE);
            case "alltoall" -> () -> world.allToAll(send, n, MPI.DOUBLE, recv, n, MPI.DOUBLE);
            case "reduce_scatter" -> () -> world.reduceScatter(send, recv, counts, MPI.DOUBLE, MPI.SUM);
            default -> throw new IllegalArgumentException("cannot be measured: operation=" + operation);
        };
    }

    private void pingpong(final int n, final Datatype type) throws MPIException {
        if (rank == 0) {
            world.send(send, n, type, 1, TAG);
            world.recv(recv, n, type, 1, TAG);
        } else if (rank == 1) {
            world.recv(recv, n, type, 0, TAG);
            world.send(send, n, type, 0, TAG);
        }
    }

    /** Sends or receives a window of messages, as the benchmark osu_bw does: all in one buffer. */
    private void window(final int n, final Request[] requests) throws MPIException {
        if (rank == 0) {
            for (int i = 0; i < WINDOW; i++) {
                requests[i] = world.iSend(send, n, MPI.DOUBLE, 1, TAG);
            }
            Request.waitAll(requests);
            world.recv(recv, 1, MPI.DOUBLE, 1, TAG);
        } else if (rank == 1) {
            for (int i = 0; i < WINDOW; i++) {
                requests[i] = world.iRecv(recv, n, MPI.DOUBLE, 0, TAG);
            }
            Request.waitAll(requests);
            world.send(send, 1, MPI.DOUBLE, 0, TAG);
        }
    }
}
