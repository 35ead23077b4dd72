package tutti.mpi.programs;

import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/**
 * Makes the calls that programs make most, on many communicators, so that the JVM compiles them, and the planning of their schedules. A daemon that
 * idles runs this.
 */
public final class WarmUp {
    /** Number of communicators, each of which plans its calls anew: enough for the optimizing compiler. */
    private static final int COMMUNICATORS = 25;
    /** Number of calls of each kind on a communicator, but for long messages. */
    private static final int CALLS = 60;
    /** Numbers of elements: one, a page, and enough for a message that is announced before it is sent. */
    private static final int[] COUNTS = {1, 512, 8_192};

    private final Intracomm comm;
    private final double[] one;
    private final double[] each;
    private final double[] all;

    private WarmUp(final Intracomm comm, final double[][] buffers) {
        this.comm = comm;
        this.one = buffers[0];
        this.each = buffers[1];
        this.all = buffers[2];
    }

    /** Makes the calls. */
    public static void main(final String[] args) throws MPIException {
        MPI.InitThread(args, MPI.THREAD_MULTIPLE);
        final double[][] buffers = new double[3][COUNTS[COUNTS.length - 1] * MPI.COMM_WORLD.getSize()];
        for (int i = 0; i < COMMUNICATORS; i++) {
            final Intracomm comm = MPI.COMM_WORLD.dup();
            for (final int count : COUNTS) {
                final WarmUp calls = new WarmUp(comm, buffers);
                for (int k = 0; k < (count > 1_000 ? 1 : CALLS); k++) {
                    calls.collectives(count);
                    calls.messages(count);
                }
            }
            comm.free();
        }
        MPI.Finalize();
    }

    private void collectives(final int count) throws MPIException {
        comm.barrier();
        comm.bcast(one, count, MPI.DOUBLE, 0);
        comm.reduce(one, all, count, MPI.DOUBLE, MPI.SUM, 0);
        comm.allReduce(one, all, count, MPI.DOUBLE, MPI.SUM);
        comm.allGather(one, count, MPI.DOUBLE, all, count, MPI.DOUBLE);
        comm.allToAll(each, count, MPI.DOUBLE, all, count, MPI.DOUBLE);
        comm.reduceScatterBlock(each, all, count, MPI.DOUBLE, MPI.SUM);
        comm.gather(one, count, MPI.DOUBLE, all, count, MPI.DOUBLE, 0);
        comm.scatter(each, count, MPI.DOUBLE, one, count, MPI.DOUBLE, 0);
        comm.scan(one, all, count, MPI.DOUBLE, MPI.SUM);
        comm.iAllReduce(one, all, count, MPI.DOUBLE, MPI.SUM).waitFor();
    }

    /** Exchanges a message with every other rank, in blocking and in nonblocking calls. */
    private void messages(final int count) throws MPIException {
        final int rank = comm.getRank();
        final int size = comm.getSize();
        for (int distance = 1; distance < size; distance++) {
            final int to = rank ^ distance;
            if (rank < to) {
                comm.send(one, count, MPI.DOUBLE, to, 0);
                comm.recv(all, count, MPI.DOUBLE, to, 0);
            } else {
                comm.recv(all, count, MPI.DOUBLE, to, 0);
                comm.send(one, count, MPI.DOUBLE, to, 0);
            }
            final Request received = comm.iRecv(all, count, MPI.DOUBLE, to, 1);
            final Request sent = comm.iSend(one, count, MPI.DOUBLE, to, 1);
            received.waitFor();
            sent.waitFor();
        }
    }
}
