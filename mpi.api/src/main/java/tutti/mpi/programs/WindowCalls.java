package tutti.mpi.programs;

import java.nio.Buffer;
import java.nio.DoubleBuffer;
import java.nio.LongBuffer;
import java.util.List;
import mpi.Group;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Win;

/**
 * The calls on a window that {@code tutti bench} measures: rank 0 accesses the memory of rank 1. As the OSU benchmarks do, put, get, accumulate
 * and fetch are followed by a flush, while rank 0 has a shared lock; {@code puts} and {@code gets} are {@value #AT_ONCE} of them. In
 * {@code passive} rank 0 puts, gets and accumulates under a lock, while rank 1 makes no call for {@value #COMPUTED_MICROS} µs, and the time of rank
 * 0 alone is measured. For one thread of each rank.
 */
final class WindowCalls implements AutoCloseable {
    /** The operations. */
    static final List<String> OPERATIONS = List.of("put", "get", "puts", "gets", "accumulate", "fetch", "fence", "pscw", "lock",
        "passive");
    /** Operations that are measured for one element alone. */
    static final String FETCH = "fetch";
    private static final List<String> FLUSHED = List.of("put", "get", "puts", "gets", "accumulate", FETCH);
    /** Accesses before a flush of {@code puts} and {@code gets}. */
    private static final int AT_ONCE = 64;
    private static final int TARGET = 1;
    private static final int COMPUTED_MICROS = 10_000;

    private final int rank;
    private final String operation;
    private final Object data;
    private final Object memory;
    private final int elements;
    private final Win win;
    private final Group other;
    private final LongBuffer one = MPI.newLongBuffer(1).put(0, 1);
    private final LongBuffer before = MPI.newLongBuffer(1);

    /**
     * Creates a window, together with all ranks.
     *
     * @param data      what rank 0 writes, and where it reads to
     * @param memory    another buffer
     * @param isCreated whether this is the memory of the window; else the window allocates its memory
     */
    WindowCalls(final Intracomm world, final String operation, final Object data, final Object memory, final int elements,
        final boolean isCreated) throws MPIException {
        this.rank = world.getRank();
        this.operation = operation;
        this.data = data;
        this.memory = memory;
        this.elements = elements;
        final Buffer buffer = memory instanceof final double[] array ? DoubleBuffer.wrap(array) : (Buffer) memory;
        this.win = isCreated ? new Win(buffer, elements, 1, MPI.INFO_NULL, world)
            : new Win(elements, 1, MPI.INFO_NULL, world, buffer, Win.FLAVOR_PRIVATE);
        final Group all = win.getGroup();
        this.other = all.incl(new int[] {1 - Math.min(1, rank)});
        all.free();
        if (FLUSHED.contains(operation) && rank == 0) {
            win.lockAll(0);
        } else if (operation.equals("fence")) {
            win.fence(0);
        }
    }

    /** Makes the call. */
    void run() throws MPIException {
        switch (operation) {
            case "fence" -> {
                if (rank == 0) {
                    put();
                }
                win.fence(0);
            }
            case "pscw" -> group();
            case "lock" -> {
                if (rank == 0) {
                    win.lock(MPI.LOCK_EXCLUSIVE, TARGET, 0);
                    put();
                    win.unlock(TARGET);
                }
            }
            case "passive" -> passive();
            default -> {
                if (rank == 0) {
                    access();
                    win.flush(TARGET);
                }
            }
        }
    }

    /** Returns whether the time of this rank's call counts. */
    boolean isMeasured() {
        return rank == 0 || !operation.equals("passive");
    }

    private void passive() throws MPIException {
        if (rank == 0) {
            win.lock(MPI.LOCK_EXCLUSIVE, TARGET, 0);
            put();
            win.get(memory, elements, MPI.DOUBLE, TARGET, 0, elements, MPI.DOUBLE);
            win.accumulate(data, elements, MPI.DOUBLE, TARGET, 0, elements, MPI.DOUBLE, MPI.SUM);
            win.unlock(TARGET);
        } else if (rank == TARGET) {
            final long end = System.nanoTime() + COMPUTED_MICROS * 1_000L;
            while (System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
        }
    }

    private void put() throws MPIException {
        win.put(data, elements, MPI.DOUBLE, TARGET, 0, elements, MPI.DOUBLE);
    }

    private void get() throws MPIException {
        win.get(data, elements, MPI.DOUBLE, TARGET, 0, elements, MPI.DOUBLE);
    }

    private void access() throws MPIException {
        switch (operation) {
            case "put" -> put();
            case "get" -> get();
            case "puts" -> {
                for (int i = 0; i < AT_ONCE; i++) {
                    put();
                }
            }
            case "gets" -> {
                for (int i = 0; i < AT_ONCE; i++) {
                    get();
                }
            }
            case "accumulate" -> win.accumulate(data, elements, MPI.DOUBLE, TARGET, 0, elements, MPI.DOUBLE, MPI.SUM);
            default -> win.fetchAndOp(one, before, MPI.LONG, TARGET, 0, MPI.SUM);
        }
    }

    private void group() throws MPIException {
        if (rank == 0) {
            win.start(other, 0);
            put();
            win.complete();
        } else if (rank == TARGET) {
            win.post(other, 0);
            win.waitFor();
        }
    }

    @Override
    public void close() throws MPIException {
        if (FLUSHED.contains(operation) && rank == 0) {
            win.unlockAll();
        } else if (operation.equals("fence")) {
            win.fence(MPI.MODE_NOSUCCEED);
        }
        other.free();
        win.free();
    }
}
