package tutti.mpi.programs;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Request;

/**
 * Makes the calls that programs make most, on many communicators, so that the JVM compiles them, and the planning of their schedules. A daemon that
 * idles runs this, in some jobs. With an argument, rank 0 reads a byte of its input for each communicator, and all ranks end when there is none.
 *
 * <p>The calls differ in type, operation, buffer and length: the compiler leaves out what it has never seen, and compiles again when a program
 * needs it.
 */
public final class WarmUp {
    /** Number of communicators, each of which plans its calls anew: enough for the optimizing compiler. */
    private static final int COMMUNICATORS = 30;
    /** Number of calls of each kind on a communicator, but for long messages. */
    private static final int CALLS = 80;
    /** Numbers of elements: one, a page, and enough for a message that is announced before it is sent. */
    private static final int[] COUNTS = {1, 128, 8_192};

    private final Intracomm comm;
    private final Datatype type;
    private final Op op;
    private final Object send;
    private final Object recv;
    private final Object replaced;

    private WarmUp(final Intracomm comm, final Datatype type, final Op op, final Object... buffers) {
        this.comm = comm;
        this.type = type;
        this.op = op;
        this.send = buffers[0];
        this.recv = buffers[1];
        this.replaced = buffers[2];
    }

    /** Makes the calls. */
    public static void main(final String[] args) throws MPIException, IOException {
        MPI.Init(args);
        final int length = COUNTS[COUNTS.length - 1] * MPI.COMM_WORLD.getSize();
        final double[][] doubles = new double[3][length];
        final int[][] ints = new int[3][length];
        // ranks that outnumber the cores need far more time
        final int communicators = COMMUNICATORS / (MPI.COMM_WORLD.getSize() > 2 ? 4 : 1);
        for (int i = 0; i < communicators && (args.length == 0 || mayGoOn()); i++) {
            final Intracomm comm = MPI.COMM_WORLD.dup();
            final List<WarmUp> kinds = List.of(new WarmUp(comm, MPI.DOUBLE, MPI.SUM, doubles[0], doubles[1], doubles[2]),
                new WarmUp(comm, MPI.INT, MPI.MAX, ints[0], ints[1], ints[2]),
                new WarmUp(comm, MPI.DOUBLE, MPI.MAX, doubles[2], doubles[0], doubles[1]));
            for (final int count : COUNTS) {
                for (int k = 0; k < (count > 1_000 ? 1 : CALLS); k++) {
                    // one of the kinds most often, as in a program, and the others on the same communicator
                    kinds.get((k % 16 == 0 ? i + 1 : i) % kinds.size()).calls(count, k);
                }
            }
            comm.free();
        }
        MPI.Finalize();
    }

    private static boolean mayGoOn() throws MPIException, IOException {
        final int[] read = {MPI.COMM_WORLD.getRank() == 0 ? System.in.read() : 0};
        MPI.COMM_WORLD.bcast(read, 1, MPI.INT, 0);
        return read[0] >= 0;
    }

    private void calls(final int count, final int number) throws MPIException {
        final int[] counts = new int[comm.getSize()];
        Arrays.fill(counts, count);
        collectives(count, counts);
        messages(count);
        if (number % 8 == 0) {
            rareCollectives(count, counts);
        }
    }

    private void collectives(final int count, final int[] counts) throws MPIException {
        comm.barrier();
        comm.bcast(send, count, type, 0);
        comm.reduce(send, recv, count, type, op, 0);
        comm.allReduce(send, recv, count, type, op);
        comm.allReduce(replaced, count, type, op);
        comm.allGather(send, count, type, recv, count, type);
        comm.allToAll(send, count, type, recv, count, type);
        comm.reduceScatter(send, recv, counts, type, op);
        comm.gather(send, count, type, recv, count, type, 0);
        comm.scatter(send, count, type, recv, count, type, 0);
    }

    private void rareCollectives(final int count, final int[] counts) throws MPIException {
        final int[] displacements = new int[counts.length];
        Arrays.setAll(displacements, r -> r * count);
        comm.reduceScatterBlock(send, recv, count, type, op);
        comm.scan(send, recv, count, type, op);
        comm.allGatherv(send, count, type, recv, counts, displacements, type);
        comm.allToAllv(send, counts, displacements, type, recv, counts, displacements, type);
        comm.gatherv(send, count, type, recv, counts, displacements, type, 0);
        comm.iBarrier().waitFor();
        comm.iAllReduce(send, recv, count, type, op).waitFor();
    }

    /** Exchanges a message with every other rank, in blocking and in nonblocking calls. */
    private void messages(final int count) throws MPIException {
        final int rank = comm.getRank();
        final int size = comm.getSize();
        for (int distance = 1; distance < size; distance++) {
            final int to = rank ^ distance;
            if (rank < to) {
                comm.send(send, count, type, to, 0);
                comm.recv(recv, count, type, to, 0);
            } else {
                comm.recv(recv, count, type, to, 0);
                comm.send(send, count, type, to, 0);
            }
            final Request received = comm.iRecv(recv, count, type, to, 1);
            final Request sent = comm.iSend(send, count, type, to, 1);
            received.waitFor();
            sent.waitFor();
        }
    }
}
