package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Message;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Four threads of each rank, each with a communicator of its own, and one communicator that all share. On at least 2 ranks. */
public final class ManyThreads {
    private static final int THREADS = 4;
    private static final int ROUNDS = 12;
    private static final int MESSAGES = 100;
    /** Sizes from messages that are sent eagerly to messages that stay with the sender. */
    private static final int[] SIZES = {1, 10, 1000, 20_000};

    private final int thread;
    private final Intracomm own;
    private final Intracomm shared;
    private final List<BlockingQueue<Started>> handed;
    private final AtomicIntegerArray received;
    private final int rank;
    private final int size;

    private ManyThreads(final int thread, final Intracomm own, final Intracomm shared, final List<BlockingQueue<Started>> handed,
        final AtomicIntegerArray received) throws MPIException {
        this.thread = thread;
        this.own = own;
        this.shared = shared;
        this.handed = handed;
        this.received = received;
        this.rank = own.getRank();
        this.size = own.getSize();
    }

    /** Requests that one thread starts and another waits for. */
    private record Started(Request[] requests, Callable<Void> check) {}

    /** Runs the program. */
    public static void main(final String[] args) throws Exception {
        final Intracomm shared = MPI.COMM_WORLD.dup();
        final AtomicIntegerArray received = new AtomicIntegerArray(THREADS * MESSAGES);
        final List<BlockingQueue<Started>> handed = new ArrayList<>();
        final Intracomm[] own = new Intracomm[THREADS];
        for (int t = 0; t < THREADS; t++) {
            handed.add(new ArrayBlockingQueue<>(ROUNDS));
            own[t] = MPI.COMM_WORLD.dup();
        }
        final ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        final List<Future<Void>> all = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            final ManyThreads one = new ManyThreads(t, own[t], shared, handed, received);
            all.add(pool.submit(one::live));
        }
        for (final Future<Void> f : all) {
            f.get(60, TimeUnit.SECONDS);
        }
        pool.shutdown();
        for (int i = 0; i < received.length(); i++) {
            assertEquals(1, received.get(i), "message " + i);
        }
        shared.free();
        for (final Intracomm comm : own) {
            comm.free();
        }
    }

    private Void live() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            blocking(round);
            nonblocking(round);
            messages(round);
            handOver(round);
            make(round);
        }
        persistent();
        onceEach();
        return null;
    }

    private int[] data(final int of, final int round, final int n) {
        final int[] data = new int[n];
        Arrays.setAll(data, i -> 1_000_000 * of + 10_000 * thread + 100 * round + i % 100);
        return data;
    }

    /** Returns the sum of the data of all ranks. */
    private int[] sum(final int round, final int n) {
        final int[] sum = new int[n];
        for (int r = 0; r < size; r++) {
            final int[] data = data(r, round, n);
            Arrays.setAll(sum, i -> sum[i] + data[i]);
        }
        return sum;
    }

    private void blocking(final int round) throws MPIException {
        final int n = SIZES[(round + thread) % SIZES.length];
        final int[] sum = data(rank, round, n);
        own.allReduce(sum, n, MPI.INT, MPI.SUM);
        assertArrayEquals(sum(round, n), sum);
        final int root = (round + thread) % size;
        final int[] cast = rank == root ? data(root, round, n) : new int[n];
        own.bcast(cast, n, MPI.INT, root);
        assertArrayEquals(data(root, round, n), cast);
        final int[] all = new int[size];
        own.allGather(new int[] {100 * thread + rank}, 1, MPI.INT, all, 1, MPI.INT);
        for (int r = 0; r < size; r++) {
            assertEquals(100 * thread + r, all[r]);
        }
        own.barrier();
    }

    private void nonblocking(final int round) throws MPIException {
        final int[][] sums = new int[3][];
        final Request[] requests = new Request[4];
        for (int i = 0; i < 3; i++) {
            sums[i] = data(rank, round + i, 50);
            requests[i] = own.iAllReduce(sums[i], 50L, MPI.INT, MPI.SUM);
        }
        requests[3] = own.iBarrier();
        for (int left = requests.length; left > 0; left--) {
            assertTrue(Request.waitAny(requests) >= 0);
        }
        for (int i = 0; i < 3; i++) {
            assertArrayEquals(sum(round + i, 50), sums[i]);
        }
    }

    /** Messages from every rank to every rank, in any order. */
    private void messages(final int round) throws MPIException {
        final int n = SIZES[(round + thread) % SIZES.length];
        final Request[] sent = new Request[size];
        for (int r = 0; r < size; r++) {
            sent[r] = own.iSend(data(rank, round, n), (long) n, MPI.INT, r, 7 * rank);
        }
        for (int i = 0; i < size; i++) {
            final int[] got = new int[n];
            final Status status;
            if (i % 2 == 0) {
                status = own.recv(got, n, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
            } else {
                final Status seen = own.probe(MPI.ANY_SOURCE, MPI.ANY_TAG);
                assertEquals(n, seen.getCount(MPI.INT));
                status = own.recv(got, n, MPI.INT, seen.getSource(), seen.getTag());
            }
            assertEquals(7 * status.getSource(), status.getTag());
            assertArrayEquals(data(status.getSource(), round, n), got);
        }
        Request.waitAll(sent);
        // later messages must not be matched here
        own.barrier();
    }

    /** Requests that the next thread waits for. */
    private void handOver(final int round) throws Exception {
        final int n = SIZES[(round + thread) % SIZES.length];
        final int[] got = new int[n];
        final int[] sum = data(rank, round, 9);
        final int previous = (rank + size - 1) % size;
        final Request[] requests = {
            own.iRecv(got, (long) n, MPI.INT, previous, round), own.iSend(data(rank, round, n), (long) n, MPI.INT, (rank + 1) % size, round),
            own.iAllReduce(sum, 9L, MPI.INT, MPI.SUM)};
        handed.get((thread + 1) % THREADS).add(new Started(requests, () -> {
            assertArrayEquals(data(previous, round, n), got);
            assertArrayEquals(sum(round, 9), sum);
            return null;
        }));
        final Started other = handed.get(thread).poll(60, TimeUnit.SECONDS);
        if (round % 2 == 0) {
            Request.waitAll(other.requests);
        } else {
            for (final Request r : other.requests) {
                while (!r.test()) {
                    Thread.onSpinWait();
                }
            }
        }
        other.check.call();
    }

    private void persistent() throws MPIException {
        final int[] sum = new int[20];
        final int[] got = new int[20];
        final int[] mine = new int[20];
        final int previous = (rank + size - 1) % size;
        final Prequest[] all = {
            own.allReduceInit(mine, sum, 20, MPI.INT, MPI.SUM), own.barrierInit(), own.sendInit(mine, 20L, MPI.INT, (rank + 1) % size, 3),
            own.recvInit(got, 20L, MPI.INT, previous, 3)};
        for (int round = 0; round < ROUNDS; round++) {
            System.arraycopy(data(rank, round, 20), 0, mine, 0, 20);
            Prequest.startAll(all);
            Request.waitAll(all);
            assertArrayEquals(sum(round, 20), sum);
            assertArrayEquals(data(previous, round, 20), got);
        }
        for (final Prequest p : all) {
            p.free();
        }
    }

    /** Communicators created from different ones at the same time, and from one with different tags. */
    private void make(final int round) throws MPIException {
        assertOwn(own.dup(), size);
        final int parity = rank % 2;
        final Intracomm half = own.split(parity, -rank);
        assertEquals((size + 1 - parity) / 2, half.getSize());
        assertEquals(half.getSize() - 1 - rank / 2, half.getRank());
        final Intracomm later = own.iDup();
        assertOwn(shared.createGroup(shared.getGroup(), thread), size);
        final Intercomm inter = shared.createIntercomm(half, round % half.getSize(),
            leader(1 - parity, round % ((size + parity) / 2)), 10 + thread);
        assertEquals(size - half.getSize(), inter.getRemoteSize());
        final int[] others = {0};
        inter.allReduce(new int[] {1}, others, 1, MPI.INT, MPI.SUM);
        assertEquals(inter.getRemoteSize(), others[0]);
        assertOwn(inter.merge(parity == 1), size);
        inter.free();
        assertOwn(half, half.getSize());
        later.getRequest().waitFor();
        assertOwn(later, size);
    }

    /** Returns the rank in the whole communicator of a rank in a half, whose ranks are in reverse order. */
    private int leader(final int parity, final int inHalf) {
        final int members = (size + 1 - parity) / 2;
        return 2 * (members - 1 - inHalf) + parity;
    }

    /** Checks that the communicator receives no messages of others. */
    private void assertOwn(final Intracomm made, final int members) throws MPIException {
        final int[] sum = {1000 * thread + 1};
        made.allReduce(sum, 1, MPI.INT, MPI.SUM);
        assertEquals(members * (1000 * thread + 1), sum[0]);
        made.free();
    }

    /** All threads probe for messages on one communicator; each message is received by one of them. */
    private void onceEach() throws MPIException {
        final int next = (rank + 1) % size;
        final Request[] sent = new Request[MESSAGES + 1];
        for (int i = 0; i < MESSAGES; i++) {
            final int[] data = new int[SIZES[i % SIZES.length]];
            Arrays.fill(data, thread * MESSAGES + i);
            sent[i] = shared.iSend(data, (long) data.length, MPI.INT, next, i);
        }
        // one of these messages ends a thread of the receiver
        sent[MESSAGES] = shared.iSend(new int[0], 0L, MPI.INT, next, MESSAGES);
        final Message message = new Message();
        for (int count = find(message); count > 0; count = find(message)) {
            final int[] got = new int[count];
            if (count > 10) {
                message.mRecv(got, count, MPI.INT);
            } else {
                message.imRecv(got, (long) count, MPI.INT).waitFor();
            }
            final int[] expected = new int[count];
            Arrays.fill(expected, got[0]);
            assertArrayEquals(expected, got);
            assertEquals(SIZES[got[0] % MESSAGES % SIZES.length], count);
            received.incrementAndGet(got[0]);
        }
        message.mRecv(new int[0], 0, MPI.INT);
        Request.waitAll(sent);
    }

    /** Probes in one way or the other; returns the length of the message. */
    private int find(final Message message) throws MPIException {
        if (thread % 2 == 0) {
            return message.mProbe(MPI.ANY_SOURCE, MPI.ANY_TAG, shared).getCount(MPI.INT);
        }
        Status status = message.imProbe(MPI.ANY_SOURCE, MPI.ANY_TAG, shared);
        while (status == null) {
            Thread.onSpinWait();
            status = message.imProbe(MPI.ANY_SOURCE, MPI.ANY_TAG, shared);
        }
        return status.getCount(MPI.INT);
    }
}
