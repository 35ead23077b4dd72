package tutti.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.LongStream;
import mpi.Comm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Measures how many bytes a call allocates on the heap. The arguments are numbers of calls, {@code WARMUP ROUNDS CALLS}, and then calls
 * {@code OPERATION:BYTES}. For each of those, rank 0 prints {@code OPERATION BYTES RANKS IO OTHERS}: bytes per call that the thread of a rank
 * allocated, the transport's threads of a node, and all other threads of a node. Each is the maximum over the ranks or nodes. All nodes have JVMs of
 * their own.
 *
 * <p>Procedure: {@code WARMUP} calls of each kind, which the JVM then has time to compile while the others run. For each kind again {@code WARMUP}
 * calls, and {@code ROUNDS + 1} rounds of {@code CALLS} calls; the first round does not count. The counter of a rank's thread is read directly
 * before and after its calls, so what the measurement allocates does not count for it.
 */
public final class Allocation {
    /** Name of the transport's threads. */
    private static final String IO = "tutti-io";
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /** Bytes that the threads of this JVM have allocated: those of ranks, those of the transport, and all, with threads that have ended. */
    private record Allocated(long ranks, long io, long all) {

        static Allocated read(final long[] ranks, final long[] io) {
            return new Allocated(sum(ranks), sum(io), THREADS.getTotalThreadAllocatedBytes());
        }

        private static long sum(final long[] threads) {
            return LongStream.of(THREADS.getThreadAllocatedBytes(threads)).filter(bytes -> bytes > 0).sum();
        }
    }

    /** Runs the program. */
    public static void main(final String[] arguments) throws MPIException {
        final String[] args = MPI.Init(arguments);
        final int warmup = Integer.parseInt(args[0]);
        final int rounds = Integer.parseInt(args[1]);
        final int calls = Integer.parseInt(args[2]);
        final List<String> kinds = Arrays.asList(args).subList(3, args.length);
        for (final String kind : kinds) {
            run(call(kind), warmup);
        }
        for (final String kind : kinds) {
            final double[] perCall = measure(call(kind), warmup, rounds, calls);
            if (MPI.COMM_WORLD.getRank() == 0) {
                System.out.printf(Locale.ROOT, "%s %.1f %.1f %.1f%n", kind.replace(':', ' '), perCall[0], perCall[1], perCall[2]);
            }
        }
        MPI.Finalize();
    }

    private static MeasuredCall call(final String kind) throws MPIException {
        final String[] words = kind.split(":");
        return MeasuredCall.of(words[0], Integer.parseInt(words[1]) / Double.BYTES);
    }

    private static double[] measure(final MeasuredCall call, final int warmup, final int rounds, final int calls) throws MPIException {
        final Intracomm world = MPI.COMM_WORLD;
        final Intracomm node = world.splitType(Comm.TYPE_SHARED, 0, MPI.INFO_NULL);
        final long[] ranks = new long[node.getSize()];
        node.allGather(new long[] {Thread.currentThread().threadId()}, 1, MPI.LONG, ranks, 1, MPI.LONG);
        run(call, warmup);
        final long[] io = transportThreads();
        final double[] perCall = new double[3];
        for (int round = 0; round <= rounds; round++) {
            world.barrier();
            final Allocated before = Allocated.read(ranks, io);
            world.barrier();
            final long own = run(call, calls);
            world.barrier();
            final Allocated after = Allocated.read(ranks, io);
            final long ofIo = after.io - before.io;
            final long ofOthers = after.all - before.all - ofIo - (after.ranks - before.ranks);
            if (round > 0) {
                perCall[0] += (double) own / calls / rounds;
                perCall[1] += (double) ofIo / calls / rounds;
                perCall[2] += (double) ofOthers / calls / rounds;
            }
        }
        node.free();
        final double[] most = new double[perCall.length];
        world.reduce(perCall, most, perCall.length, MPI.DOUBLE, MPI.MAX, 0);
        return most;
    }

    /** Makes calls, and returns how many bytes this thread allocated. */
    private static long run(final MeasuredCall call, final int calls) throws MPIException {
        final long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private static long[] transportThreads() {
        return Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds())).filter(Objects::nonNull)
            .filter(thread -> thread.getThreadName().startsWith(IO)).mapToLong(ThreadInfo::getThreadId).toArray();
    }
}
