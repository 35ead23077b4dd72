package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import mpi.Comm;
import mpi.Grequest;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/**
 * At least 200 outstanding operations on every rank, of all kinds mixed: sends in all modes and receives, small and large, persistent ones,
 * collectives on four communicators, generalized requests. They are waited for in every form and in a new order each round; all data is checked.
 */
public final class ManyRequests {
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static final int[] SIZES = {1, 10, 3000, 20_000};
    private static final int MESSAGES = 60;
    /** The buffers of the persistent messages, receive and send alternately. */
    private static final List<int[]> BUFFERS = new ArrayList<>();
    private static int rank;
    private static int size;

    private final Random random;
    private final int round;
    private final List<Request> requests = new ArrayList<>();
    /** The checks to run when the request of the same index is complete. */
    private final List<Check> checks = new ArrayList<>();

    private ManyRequests(final int round) {
        this.round = round;
        this.random = new Random(31L * round + rank);
    }

    /** Checks the data of a request. */
    private interface Check {
        void look(Status status) throws MPIException;
    }

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        rank = WORLD.getRank();
        size = WORLD.getSize();
        MPI.attachBuffer(new byte[32 << 20]);
        final Comm copy = WORLD.dup();
        final Comm other = copy.dup();
        final List<Comm> comms = List.of(WORLD, MPI.COMM_SELF, copy, other);
        final List<Prequest> persistent = new ArrayList<>();
        for (int round = 0; round < 2 * Form.values().length; round++) {
            final ManyRequests many = new ManyRequests(round);
            many.receives();
            WORLD.barrier();
            many.sends();
            many.collectives(comms);
            many.generalized();
            many.persistent(persistent);
            assertTrue(many.requests.size() >= 200, "requests=" + many.requests.size());
            many.complete(Form.values()[round % Form.values().length]);
        }
        for (final Prequest p : persistent) {
            p.free();
        }
        assertNull(WORLD.iProbe(MPI.ANY_SOURCE, MPI.ANY_TAG));
        copy.free();
        other.free();
        MPI.detachBuffer();
    }

    private enum Form { WAIT_ANY, WAIT_SOME, TEST_ANY, TEST_SOME, WAIT_ALL, TEST_ALL, ONE_BY_ONE }

    private static int peer(final int message) {
        return message % size;
    }

    private static int value(final int from, final int to, final int message, final int inRound) {
        return 1_000_000 * from + 100_000 * to + 100 * message + inRound;
    }

    private static int bytes(final int message) {
        return SIZES[message / 4 % SIZES.length];
    }

    private void add(final Request request, final Check check) {
        requests.add(request);
        checks.add(check);
    }

    private void receives() throws MPIException {
        for (int m = 0; m < MESSAGES; m++) {
            final int message = m;
            final int from = peer(m + rank);
            final int[] got = new int[bytes(m) + 1];
            add(WORLD.iRecv(got, (long) got.length, MPI.INT, from, tag(from, rank, m)), status -> {
                assertEquals(from, status.getSource());
                check(got, status, value(from, rank, message, round), bytes(message));
            });
        }
    }

    /** Returns a tag that is unique for the sender and the receiver. */
    private static int tag(final int from, final int to, final int message) {
        return message + MESSAGES * (from + size * to);
    }

    private static void check(final int[] got, final Status status, final int value, final int count) throws MPIException {
        assertEquals(count, status.getCount(MPI.INT));
        for (int i = 0; i < count; i++) {
            assertEquals(value + i, got[i]);
        }
    }

    private static int[] data(final int value, final int count) {
        final int[] data = new int[count];
        Arrays.setAll(data, i -> value + i);
        return data;
    }

    private void sends() throws MPIException {
        for (int to = 0; to < size; to++) {
            for (int m = 0; m < MESSAGES; m++) {
                if (peer(m + to) == rank) {
                    final int count = bytes(m);
                    final int[] data = data(value(rank, to, m, round), count);
                    final int tag = tag(rank, to, m);
                    add(switch (random.nextInt(4)) {
                        case 0 -> WORLD.iSend(data, (long) count, MPI.INT, to, tag);
                        case 1 -> WORLD.isSend(data, (long) count, MPI.INT, to, tag);
                        case 2 -> WORLD.irSend(data, (long) count, MPI.INT, to, tag);
                        default -> WORLD.ibSend(data, (long) count, MPI.INT, to, tag);
                    }, status -> {});
                }
            }
        }
    }

    private void collectives(final List<Comm> comms) throws MPIException {
        for (int i = 0; i < 20; i++) {
            for (final Comm comm : comms) {
                collective(comm, i);
            }
        }
    }

    private void collective(final Comm comm, final int i) throws MPIException {
        final int p = comm.getSize();
        final int me = comm.getRank();
        switch (i % 4) {
            case 0 -> {
                final var buffer = MPI.newIntBuffer(1).put(0, me + i);
                add(comm.iAllReduce(buffer, 1, MPI.INT, MPI.SUM), s -> assertEquals(p * (p - 1) / 2 + p * i, buffer.get(0)));
            }
            case 1 -> {
                final var buffer = MPI.newIntBuffer(5000).put(4999, me == i % p ? 7 * i : -1);
                add(comm.iBcast(buffer, 5000, MPI.INT, i % p), s -> assertEquals(7 * i, buffer.get(4999)));
            }
            case 2 -> {
                final var all = MPI.newIntBuffer(p).put(me, 10 * me + i);
                add(comm.iAllGather(all, 1, MPI.INT), s -> assertEquals(10 * (p - 1) + i, all.get(p - 1)));
            }
            default -> add(comm.iBarrier(), s -> {});
        }
    }

    private void generalized() throws MPIException {
        for (int i = 0; i < 20; i++) {
            final int pushes = random.nextInt(300);
            final int number = i;
            add(Grequest.start(c -> {}, c -> c[0]++ >= pushes, (c, status) -> status.setElements(MPI.INT, number), c -> {}, new int[1]),
                status -> assertEquals(number, status.getCount(MPI.INT)));
        }
    }

    private void persistent(final List<Prequest> made) throws MPIException {
        final int n = 20;
        if (made.isEmpty()) {
            for (int i = 0; i < n; i++) {
                final int count = SIZES[i % SIZES.length];
                final int[] in = new int[count];
                final int[] out = new int[count];
                BUFFERS.add(in);
                BUFFERS.add(out);
                made.add(WORLD.recvInit(in, (long) count, MPI.INT, (rank + size - 1) % size, 1_000_000 + i));
                made.add(WORLD.sendInit(out, (long) count, MPI.INT, (rank + 1) % size, 1_000_000 + i));
            }
        }
        for (int i = 0; i < n; i++) {
            final int[] in = BUFFERS.get(2 * i);
            Arrays.fill(in, -1);
            Arrays.fill(BUFFERS.get(2 * i + 1), 1000 * rank + i + round);
            final int expected = 1000 * ((rank + size - 1) % size) + i + round;
            add(made.get(2 * i), status -> {
                assertEquals(in.length, status.getCount(MPI.INT));
                assertEquals(expected, in[0]);
                assertEquals(expected, in[in.length - 1]);
            });
            add(made.get(2 * i + 1), status -> {});
        }
        Prequest.startAll(made.toArray(new Prequest[0]));
    }

    private void complete(final Form form) throws MPIException {
        final List<Integer> order = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            order.add(i);
        }
        Collections.shuffle(order, random);
        final Request[] all = new Request[order.size()];
        final Check[] looks = new Check[all.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = requests.get(order.get(i));
            looks[i] = checks.get(order.get(i));
        }
        final int[] seen = new int[all.length];
        int left = all.length;
        for (int i = 0; form == Form.ONE_BY_ONE && i < all.length; i++) {
            looks[i].look(all[i].waitStatus());
            seen[i]++;
            left--;
        }
        while (left > 0) {
            for (final Status status : next(form, all)) {
                seen[status.getIndex()]++;
                looks[status.getIndex()].look(status);
                left--;
            }
        }
        for (final int times : seen) {
            assertEquals(1, times);
        }
        assertEquals(MPI.UNDEFINED, Request.waitAny(all));
        assertNull(Request.waitSome(all));
    }

    private static Status[] next(final Form form, final Request[] all) throws MPIException {
        switch (form) {
            case WAIT_ANY -> {
                return new Status[] {Request.waitAnyStatus(all)};
            }
            case WAIT_SOME -> {
                return Request.waitSomeStatus(all);
            }
            case TEST_ANY -> {
                final Status status = Request.testAnyStatus(all);
                return status == null ? new Status[0] : new Status[] {status};
            }
            case TEST_SOME -> {
                return Request.testSomeStatus(all);
            }
            case WAIT_ALL -> {
                return Request.waitAllStatus(all);
            }
            case TEST_ALL -> {
                final Status[] statuses = Request.testAllStatus(all);
                return statuses == null ? new Status[0] : statuses;
            }
            default -> throw new IllegalArgumentException(form.toString());
        }
    }
}
