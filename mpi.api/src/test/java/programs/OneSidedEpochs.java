package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import mpi.Datatype;
import mpi.Group;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;
import mpi.Win;
import org.junit.jupiter.api.function.Executable;

/** Windows: what programs do with epochs: fences, groups, locks, requests, attributes, and calls that do not fit to the epoch. */
public final class OneSidedEpochs {
    private static int rank;
    private static int size;
    private static int next;
    private static int previous;

    private OneSidedEpochs() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = MPI.COMM_WORLD.getRank();
        size = MPI.COMM_WORLD.getSize();
        next = (rank + 1) % size;
        previous = (rank + size - 1) % size;
        eachFenceEndsAndBegins();
        readAndWriteInOneFence();
        manyAccesses();
        oddAndEvenGroups();
        groupsOfTwoNeighbours();
        oneTargetOfManyOrigins();
        emptyGroups();
        testDoesNotWait();
        synchronizationsInTurn();
        completionsToAllTargets();
        locksOfManyTargets();
        locksWithoutAccesses();
        localAccessUnderALock();
        messagesAfterFlush();
        serverAndOrigins();
        requestsInAnyOrder();
        requestsAfterUnlock();
        stepsWithRequests();
        noProcess();
        noElements();
        attributesInAnyOrder();
        wrongCalls();
    }

    /** Returns the error class of a call that must fail. */
    static int errorClass(final Executable call) {
        return assertThrows(MPIException.class, call).getErrorClass();
    }

    private static IntBuffer ints(final int... values) {
        return MPI.newIntBuffer(values.length).put(0, values);
    }

    private static int[] array(final IntBuffer buffer) {
        final int[] values = new int[buffer.capacity()];
        buffer.get(0, values);
        return values;
    }

    private static Win of(final IntBuffer memory) throws MPIException {
        final Win win = new Win(memory, memory.capacity(), 1, MPI.INFO_NULL, MPI.COMM_WORLD);
        win.setErrhandler(MPI.ERRORS_RETURN);
        return win;
    }

    private static void meet() throws MPIException {
        MPI.COMM_WORLD.barrier();
    }

    private static void put(final Win win, final int value, final int target, final int at) throws MPIException {
        win.put(ints(value), 1, MPI.INT, target, at, 1, MPI.INT);
    }

    /** A fence ends an epoch and begins one: even ranks write, then odd ones, then both, then none. */
    private static void eachFenceEndsAndBegins() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(2);
        try (Win win = of(memory)) {
            final int parity = rank % 2;
            final int[] wanted = new int[2];
            win.fence(MPI.MODE_NOPRECEDE);
            for (int i = 0; i < 12; i++) {
                if (i % 4 == parity || i % 4 == 2) {
                    put(win, 10 * i + rank, next, 0);
                    put(win, -10 * i - rank, next, 1);
                }
                win.fence(i == 11 ? MPI.MODE_NOSUCCEED : 0);
                if (i % 4 == previous % 2 || i % 4 == 2) {
                    wanted[0] = 10 * i + previous;
                    wanted[1] = -wanted[0];
                }
                assertArrayEquals(wanted, array(memory));
                meet();
            }
        }
    }

    /** In one epoch of a fence a rank reads a part of the memory and writes another one, of many elements. */
    private static void readAndWriteInOneFence() throws MPIException {
        final int count = 20_000;
        final IntBuffer memory = MPI.newIntBuffer(2 * count);
        final IntBuffer data = MPI.newIntBuffer(count);
        final IntBuffer got = MPI.newIntBuffer(count);
        try (Win win = of(memory)) {
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < count; i++) {
                    memory.put(count + i, 3 * i + rank + round);
                    data.put(i, 5 * i + rank + round);
                }
                win.fence(0);
                win.get(got, count, MPI.INT, next, count, count, MPI.INT);
                win.put(data, count, MPI.INT, next, 0, count, MPI.INT);
                win.fence(0);
                for (int i = 0; i < count; i++) {
                    assertEquals(3 * i + next + round, got.get(i));
                    assertEquals(5 * i + previous + round, memory.get(i));
                }
                win.fence(0);
            }
        }
    }

    /** Thousands of accesses are made in one epoch, to all ranks in turn. */
    private static void manyAccesses() throws MPIException {
        final int count = 3_000;
        final IntBuffer memory = MPI.newIntBuffer(size * count + 1);
        try (Win win = of(memory)) {
            for (final boolean isFence : new boolean[] {true, false}) {
                final IntBuffer[] got = new IntBuffer[count];
                if (isFence) {
                    win.fence(0);
                } else {
                    win.lockAll(0);
                }
                final int value = isFence ? 1 : 2;
                for (int i = 0; i < count; i++) {
                    put(win, value * (rank + i), (rank + i) % size, rank * count + i);
                    win.accumulate(ints(1), 1, MPI.INT, i % size, size * count, 1, MPI.INT, MPI.SUM);
                }
                if (isFence) {
                    win.fence(0);
                } else {
                    win.flushAll();
                }
                for (int i = 0; i < count; i++) {
                    got[i] = MPI.newIntBuffer(1);
                    win.get(got[i], 1, MPI.INT, (rank + i) % size, rank * count + i, 1, MPI.INT);
                }
                if (isFence) {
                    win.fence(MPI.MODE_NOSUCCEED);
                } else {
                    win.unlockAll();
                }
                for (int i = 0; i < count; i++) {
                    assertEquals(value * (rank + i), got[i].get(0));
                }
                meet();
            }
            final int shares = count / size + (rank < count % size ? 1 : 0);
            assertEquals(2 * size * shares, memory.get(size * count));
        }
    }

    private static Group group(final Win win, final int[] ranks) throws MPIException {
        final Group all = win.getGroup();
        final Group some = all.incl(ranks);
        all.free();
        return some;
    }

    /** Even ranks start before they post, odd ones post before they start: each writes to all of the other half. */
    private static void oddAndEvenGroups() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(size);
        final int[] others = IntStream.range(0, size).filter(r -> r % 2 != rank % 2).toArray();
        try (Win win = of(memory)) {
            final Group half = group(win, others);
            for (int i = 0; i < 10; i++) {
                if (rank % 2 == 0) {
                    win.start(half, 0);
                } else {
                    win.post(half, 0);
                    win.start(half, 0);
                }
                for (final int t : others) {
                    put(win, 100 * i + rank, t, rank);
                }
                win.complete();
                if (rank % 2 == 0) {
                    win.post(half, 0);
                }
                win.waitFor();
                final int[] wanted = new int[size];
                for (final int r : others) {
                    wanted[r] = 100 * i + r;
                }
                assertArrayEquals(wanted, array(memory));
            }
            half.free();
        }
    }

    /** In a ring, each rank accesses the two after it and is accessed by the two before it, for many rounds without a barrier. */
    private static void groupsOfTwoNeighbours() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(size + 1);
        final int[] after = IntStream.of((rank + 1) % size, (rank + 2) % size).distinct().toArray();
        final int[] before = IntStream.of(previous, (rank + 2 * size - 2) % size).distinct().toArray();
        final Datatype ends = Datatype.createIndexed(new int[] {1, 1}, new int[] {0, size - rank}, MPI.INT);
        ends.commit();
        try (Win win = of(memory)) {
            final Group to = group(win, after);
            final Group from = group(win, before);
            for (int i = 0; i < 30; i++) {
                win.post(from, i % 2 == 0 ? 0 : MPI.MODE_NOSTORE);
                win.start(to, 0);
                for (final int t : after) {
                    // the last element has the sum of all
                    win.accumulate(ints(i + rank, 1), 2, MPI.INT, t, rank, 1, ends, i % 3 == 0 ? MPI.SUM : MPI.MAX);
                    win.accumulate(ints(i % 3 == 0 ? 0 : 1), 1, MPI.INT, t, size, 1, MPI.INT, MPI.SUM);
                }
                win.complete();
                win.waitFor();
            }
            final int[] wanted = new int[size + 1];
            for (final int r : before) {
                for (int i = 0; i < 30; i++) {
                    wanted[r] = i % 3 == 0 ? wanted[r] + i + r : Math.max(wanted[r], i + r);
                }
                wanted[size] += 30;
            }
            assertArrayEquals(wanted, array(memory));
            to.free();
            from.free();
        }
        ends.free();
    }

    /** All other ranks access one rank in a group's epoch; it knows by no message of its own that they are done. */
    private static void oneTargetOfManyOrigins() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(size + 1);
        try (Win win = of(memory)) {
            for (int target = 0; target < size; target++) {
                final int to = target;
                final Group origins = group(win, IntStream.range(0, size).filter(r -> r != to).toArray());
                final Group one = group(win, new int[] {to});
                if (rank == to) {
                    win.post(origins, MPI.MODE_NOCHECK);
                }
                meet();
                if (rank == to) {
                    win.waitFor();
                    for (int r = 0; r < size; r++) {
                        assertEquals(r == rank ? 0 : r + 50, memory.get(r));
                    }
                    assertEquals(size - 1, memory.get(size));
                } else {
                    win.start(one, MPI.MODE_NOCHECK);
                    put(win, rank + 50, to, rank);
                    win.accumulate(ints(1), 1, MPI.INT, to, size, 1, MPI.INT, MPI.SUM);
                    win.complete();
                }
                origins.free();
                one.free();
            }
        }
    }

    /** Epochs of empty groups, and of groups without accesses, end. */
    private static void emptyGroups() throws MPIException {
        try (Win win = of(MPI.newIntBuffer(1))) {
            for (int i = 0; i < 3; i++) {
                win.post(MPI.GROUP_EMPTY, 0);
                win.start(MPI.GROUP_EMPTY, 0);
                assertEquals(MPI.ERR_RMA_SYNC, errorClass(() -> put(win, 1, rank, 0)));
                win.complete();
                if (i == 1) {
                    assertTrue(win.test());
                } else {
                    win.waitFor();
                }
            }
            final Group all = win.getGroup();
            win.post(all, 0);
            win.start(all, 0);
            win.complete();
            win.waitFor();
            all.free();
        }
    }

    /** The test of an exposure epoch says no until the origin has completed. */
    private static void testDoesNotWait() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(1);
        try (Win win = of(memory)) {
            final Group to = group(win, new int[] {next});
            final Group from = group(win, new int[] {previous});
            win.post(from, 0);
            win.start(to, 0);
            put(win, rank + 1, next, 0);
            meet();
            assertFalse(win.test());
            meet();
            win.complete();
            while (!win.test()) {
                Thread.onSpinWait();
            }
            assertEquals(previous + 1, memory.get(0));
            assertEquals(MPI.ERR_RMA_SYNC, errorClass(win::test));
            to.free();
            from.free();
        }
    }

    /** A window is used with fences, groups, and locks of all kinds, one after the other. */
    private static void synchronizationsInTurn() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(6);
        try (Win win = of(memory)) {
            final Group to = group(win, new int[] {next});
            final Group from = group(win, new int[] {previous});
            for (int i = 1; i <= 5; i++) {
                final int value = 100 * i + rank;
                win.fence(MPI.MODE_NOPRECEDE);
                put(win, value, next, 0);
                win.fence(i % 2 == 0 ? 0 : MPI.MODE_NOSUCCEED);
                win.lock(MPI.LOCK_EXCLUSIVE, next, 0);
                put(win, value, next, 1);
                win.unlock(next);
                win.post(from, 0);
                win.start(to, 0);
                put(win, value, next, 2);
                win.complete();
                win.waitFor();
                win.lock(MPI.LOCK_SHARED, next, 0);
                put(win, value, next, 3);
                win.unlock(next);
                win.lockAll(0);
                put(win, value, next, 4);
                win.unlockAll();
                win.fence(MPI.MODE_NOSTORE | MPI.MODE_NOPRECEDE);
                put(win, value, next, 5);
                win.fence(MPI.MODE_NOSUCCEED | MPI.MODE_NOPUT);
                final int wanted = 100 * i + previous;
                assertArrayEquals(IntStream.range(0, 6).map(k -> wanted).toArray(), array(memory));
                meet();
            }
            to.free();
            from.free();
        }
    }

    /** In an epoch of all targets, each way to complete puts, gets and accumulates does so, with plain and with derived types on both sides. */
    private static void completionsToAllTargets() throws MPIException {
        final int count = 20;
        final Datatype second = Datatype.createVector(count, 1, 2, MPI.INT);
        second.commit();
        final IntBuffer memory = MPI.newIntBuffer(2 * size * count);
        final IntBuffer data = MPI.newIntBuffer(2 * count);
        for (int i = 0; i < 2 * count; i++) {
            data.put(i, 1_000 * rank + i);
        }
        try (Win win = of(memory)) {
            for (int way = 0; way < 5; way++) {
                final int factor = way + 1;
                win.lockAll(way == 4 ? MPI.MODE_NOCHECK : 0);
                for (int t = 0; t < size; t++) {
                    win.put(data, count, MPI.INT, t, 2 * rank * count, 1, second);
                    win.accumulate(data, 1, second, t, 2 * rank * count + 1, 1, second, MPI.SUM);
                }
                complete(win, way);
                final IntBuffer[] got = new IntBuffer[size];
                for (int t = 0; t < size; t++) {
                    got[t] = MPI.newIntBuffer(2 * count);
                    win.get(got[t], 2 * count, MPI.INT, t, 2 * rank * count, 2 * count, MPI.INT);
                }
                win.unlockAll();
                for (int t = 0; t < size; t++) {
                    for (int i = 0; i < count; i++) {
                        assertEquals(1_000 * rank + i, got[t].get(2 * i));
                        assertEquals(factor * (1_000 * rank + 2 * i), got[t].get(2 * i + 1));
                    }
                }
            }
        }
        second.free();
    }

    private static void complete(final Win win, final int way) throws MPIException {
        switch (way) {
            case 0, 4 -> win.flushAll();
            case 1 -> {
                for (int t = size - 1; t >= 0; t--) {
                    win.flush(t);
                }
            }
            case 2 -> {
                win.flushLocalAll();
                win.unlockAll();
                win.lockAll(0);
            }
            default -> {
                for (int t = 0; t < size; t++) {
                    win.flushLocal(t);
                }
                win.unlockAll();
                win.lockAll(0);
            }
        }
    }

    /** A rank locks one target after the other, and unlocks them in another order; others do so at once. */
    private static void locksOfManyTargets() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(size);
        try (Win win = of(memory)) {
            for (int i = 1; i <= 5; i++) {
                for (int t = 0; t < size; t++) {
                    win.lock(MPI.LOCK_SHARED, t, 0);
                    put(win, 10 * i + rank, t, rank);
                }
                for (int t = 0; t < size; t += 2) {
                    win.flush(t);
                    win.unlock(t);
                }
                if (size > 1) {
                    assertEquals(MPI.ERR_RMA_SYNC, errorClass(() -> put(win, 0, 0, rank)));
                }
                for (int t = (size - 2) / 2 * 2 + 1; t > 0 && size > 1; t -= 2) {
                    win.unlock(t);
                }
                meet();
                for (int r = 0; r < size; r++) {
                    assertEquals(10 * i + r, memory.get(r));
                }
                meet();
            }
            // exclusive ones in one order, which no deadlock has
            for (int t = 0; t < size; t++) {
                win.lock(MPI.LOCK_EXCLUSIVE, t, 0);
                put(win, rank, t, 0);
            }
            final IntBuffer got = MPI.newIntBuffer(size);
            win.flushAll();
            for (int t = 0; t < size; t++) {
                win.get(MPI.slice(got, t), 1, MPI.INT, t, 0, 1, MPI.INT);
            }
            for (int t = size - 1; t >= 0; t--) {
                win.unlock(t);
            }
            final int own = rank;
            assertArrayEquals(IntStream.range(0, size).map(t -> own).toArray(), array(got));
        }
    }

    /** Locks without accesses are granted and end, of each kind and with each assertion. */
    private static void locksWithoutAccesses() throws MPIException {
        try (Win win = of(MPI.newIntBuffer(1))) {
            for (int t = 0; t < size; t++) {
                win.lock(MPI.LOCK_SHARED, t, 0);
                win.unlock(t);
                win.lock(MPI.LOCK_EXCLUSIVE, t, 0);
                win.flush(t);
                win.flushLocal(t);
                win.flushAll();
                win.flushLocalAll();
                win.sync();
                win.unlock(t);
                win.lock(MPI.LOCK_SHARED, t, MPI.MODE_NOCHECK);
                win.unlock(t);
            }
            win.lockAll(0);
            win.unlockAll();
            win.lock(MPI.LOCK_EXCLUSIVE, MPI.PROC_NULL, 0);
            win.unlock(MPI.PROC_NULL);
        }
    }

    /** A rank that has locked its own memory loads and stores it, while others wait to access it. */
    private static void localAccessUnderALock() throws MPIException {
        final int each = 50;
        final IntBuffer memory = MPI.newIntBuffer(2);
        try (Win win = of(memory)) {
            for (int i = 0; i < each; i++) {
                win.lock(MPI.LOCK_EXCLUSIVE, rank, 0);
                memory.put(0, memory.get(0) + 1);
                memory.put(1, memory.get(1) - 1);
                win.unlock(rank);
                win.lock(MPI.LOCK_EXCLUSIVE, next, 0);
                final IntBuffer got = MPI.newIntBuffer(2);
                win.get(got, 2, MPI.INT, next, 0, 2, MPI.INT);
                win.flush(next);
                assertEquals(0, got.get(0) + got.get(1));
                win.put(got.put(0, got.get(0) + 1).put(1, got.get(1) - 1), 2, MPI.INT, next, 0, 2, MPI.INT);
                win.unlock(next);
            }
            meet();
            assertArrayEquals(new int[] {2 * each, -2 * each}, array(memory));
        }
    }

    /** A token goes round: who has it reads at rank 0 what the rank before wrote and flushed there, and writes on. */
    private static void messagesAfterFlush() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(1);
        try (Win win = of(memory)) {
            win.lockAll(0);
            for (int i = 0; i < 5; i++) {
                if (rank > 0) {
                    MPI.COMM_WORLD.recv(new byte[0], 0, MPI.BYTE, rank - 1, 1);
                }
                final IntBuffer got = ints(-1);
                win.get(got, 1, MPI.INT, 0, 0, 1, MPI.INT);
                win.flush(0);
                assertEquals(i * size + rank, got.get(0));
                put(win, i * size + rank + 1, 0, 0);
                win.flush(0);
                if (rank < size - 1) {
                    MPI.COMM_WORLD.send(new byte[0], 0, MPI.BYTE, rank + 1, 1);
                }
                meet();
            }
            win.unlockAll();
        }
    }

    /** Origins write to rank 0 and tell the last rank, which tells rank 0: what they wrote is there. */
    private static void serverAndOrigins() throws MPIException {
        final int bytes = 40_000;
        final int rounds = 15;
        final IntBuffer memory = MPI.newIntBuffer(size * bytes);
        try (Win win = of(memory)) {
            if (rank == 0) {
                for (int i = 0; i < rounds * Math.max(0, size - 2); i++) {
                    final int[] by = new int[1];
                    MPI.COMM_WORLD.recv(by, 1, MPI.INT, size - 1, 2);
                    final IntBuffer got = MPI.newIntBuffer(2);
                    win.lock(MPI.LOCK_SHARED, 0, 0);
                    win.get(got, 1, MPI.INT, 0, by[0] * bytes, 1, MPI.INT);
                    win.get(MPI.slice(got, 1), 1, MPI.INT, 0, (by[0] + 1) * bytes - 1, 1, MPI.INT);
                    win.unlock(0);
                    assertEquals(got.get(0), got.get(1));
                    assertTrue(got.get(0) > 0);
                    memory.put(by[0] * bytes, 0).put((by[0] + 1) * bytes - 1, 0);
                    MPI.COMM_WORLD.send(by, 0, MPI.INT, by[0], 3);
                }
            } else if (rank == size - 1) {
                for (int i = 0; i < rounds * (size - 2); i++) {
                    final int[] by = {MPI.COMM_WORLD.recv(new int[1], 0, MPI.INT, MPI.ANY_SOURCE, 1).getSource()};
                    MPI.COMM_WORLD.send(by, 1, MPI.INT, 0, 2);
                }
            } else {
                final int[] data = new int[bytes];
                for (int i = 1; i <= rounds; i++) {
                    Arrays.fill(data, 100 * rank + i);
                    win.lock(MPI.LOCK_SHARED, 0, 0);
                    win.put(data, bytes, MPI.INT, 0, (long) rank * bytes, bytes, MPI.INT);
                    win.unlock(0);
                    MPI.COMM_WORLD.send(data, 0, MPI.INT, size - 1, 1);
                    MPI.COMM_WORLD.recv(data, 0, MPI.INT, 0, 3);
                }
            }
        }
    }

    /** Requests of accesses to all ranks complete, in whichever order and by whichever call the program waits. */
    private static void requestsInAnyOrder() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(2 * size);
        try (Win win = of(memory)) {
            final int ways = 6;
            for (int way = 0; way < ways; way++) {
                meet();
                win.lockAll(0);
                final List<Request> writes = new ArrayList<>();
                final IntBuffer[] before = new IntBuffer[size];
                final IntBuffer[] got = new IntBuffer[size];
                for (int t = 0; t < size; t++) {
                    before[t] = ints(-1);
                    writes.add(win.rPut(ints(100 * way + rank), 1, MPI.INT, t, rank, 1, MPI.INT));
                    writes.add(win.rGetAccumulate(ints(rank + 1), 1, MPI.INT, before[t], 1, MPI.INT, t, size + rank, 1, MPI.INT, MPI.SUM));
                    writes.add(win.rAccumulate(ints(1), 1, MPI.INT, t, size + rank, 1, MPI.INT, MPI.SUM));
                }
                await(writes, way);
                win.flushAll();
                final List<Request> reads = new ArrayList<>();
                for (int t = 0; t < size; t++) {
                    got[t] = MPI.newIntBuffer(2);
                    reads.add(win.rGet(got[t], 1, MPI.INT, t, rank, 1, MPI.INT));
                    reads.add(win.rGet(MPI.slice(got[t], 1), 1, MPI.INT, t, size + rank, 1, MPI.INT));
                }
                await(reads, ways - 1 - way);
                for (int t = 0; t < size; t++) {
                    assertEquals(way * (rank + 2), before[t].get(0));
                    assertArrayEquals(new int[] {100 * way + rank, (way + 1) * (rank + 2)}, array(got[t]));
                }
                win.unlockAll();
            }
        }
    }

    private static void await(final List<Request> started, final int way) throws MPIException {
        final Request[] requests = started.toArray(Request[]::new);
        switch (way) {
            case 0 -> Request.waitAll(requests);
            case 1 -> {
                for (int i = requests.length - 1; i >= 0; i--) {
                    requests[i].waitFor();
                }
            }
            case 2 -> {
                for (int i = 0; i < requests.length; i++) {
                    assertFalse(Request.waitAny(requests) == MPI.UNDEFINED);
                }
                assertEquals(MPI.UNDEFINED, Request.waitAny(requests));
            }
            case 3 -> {
                int done = 0;
                while (done < requests.length) {
                    done += Request.waitSome(requests).length;
                }
                assertEquals(requests.length, done);
            }
            case 4 -> {
                Status[] all = Request.testAllStatus(requests);
                while (all == null) {
                    all = Request.testAllStatus(requests);
                }
                for (final Status status : all) {
                    assertEquals(MPI.SUCCESS, status.getError());
                    assertFalse(status.isCancelled());
                }
            }
            default -> {
                for (final Request request : requests) {
                    while (!request.test()) {
                        Thread.onSpinWait();
                    }
                    assertTrue(request.isNull());
                }
            }
        }
    }

    /** The end of an epoch completes its requests: they are waited for later, and the data of a get is there at once. */
    private static void requestsAfterUnlock() throws MPIException {
        final int count = 10_000;
        final IntBuffer memory = MPI.newIntBuffer(2 * count);
        for (int i = 0; i < count; i++) {
            memory.put(i, i + rank);
        }
        try (Win win = of(memory)) {
            meet();
            final IntBuffer got = MPI.newIntBuffer(count);
            win.lockAll(0);
            final Request read = win.rGet(got, count, MPI.INT, next, 0, count, MPI.INT);
            final Request write = win.rPut(memory, count, MPI.INT, next, count, count, MPI.INT);
            win.unlockAll();
            for (int i = 0; i < count; i++) {
                assertEquals(i + next, got.get(i));
                got.put(i, -1);
            }
            write.waitFor();
            read.waitFor();
            for (int i = 0; i < count; i++) {
                assertEquals(-1, got.get(i));
            }
            meet();
            for (int i = 0; i < count; i++) {
                assertEquals(i + previous, memory.get(count + i));
            }
        }
    }

    /** Steps read the next part by a request while they work on one, and write results by requests: buffers are used in turn. */
    private static void stepsWithRequests() throws MPIException {
        final int steps = 20;
        final int count = 100;
        final int depth = 3;
        final IntBuffer memory = MPI.newIntBuffer(steps * count);
        for (int i = 0; i < steps * count; i++) {
            memory.put(i, i);
        }
        try (Win win = of(memory)) {
            meet();
            final IntBuffer[] data = new IntBuffer[depth];
            final Request[] writes = new Request[depth];
            Arrays.fill(writes, MPI.REQUEST_NULL);
            win.lockAll(0);
            for (int step = 0; step < steps; step++) {
                final int of = step % depth;
                writes[of].waitFor();
                data[of] = data[of] == null ? MPI.newIntBuffer(count) : data[of];
                win.rGet(data[of], count, MPI.INT, next, step * count, count, MPI.INT).waitFor();
                for (int i = 0; i < count; i++) {
                    data[of].put(i, 2 * data[of].get(i) + rank);
                }
                writes[of] = win.rPut(data[of], count, MPI.INT, next, step * count, count, MPI.INT);
            }
            Request.waitAll(writes);
            win.unlockAll();
            meet();
            for (int i = 0; i < steps * count; i++) {
                assertEquals(2 * i + previous, memory.get(i));
            }
        }
    }

    /** Accesses to no process do nothing, in an epoch of a fence and of a lock, and their requests are complete. */
    private static void noProcess() throws MPIException {
        final IntBuffer data = ints(5);
        final IntBuffer result = ints(6);
        final int nobody = MPI.PROC_NULL;
        try (Win win = of(ints(7))) {
            for (final boolean isFence : new boolean[] {true, false}) {
                if (isFence) {
                    win.fence(0);
                } else {
                    win.lock(MPI.LOCK_SHARED, nobody, 0);
                }
                win.put(data, 1, MPI.INT, nobody, 0, 1, MPI.INT);
                win.get(result, 1, MPI.INT, nobody, 0, 1, MPI.INT);
                win.accumulate(data, 1, MPI.INT, nobody, 0, 1, MPI.INT, MPI.SUM);
                win.getAccumulate(data, 1, MPI.INT, result, 1, MPI.INT, nobody, 0, 1, MPI.INT, MPI.SUM);
                win.fetchAndOp(data, result, MPI.INT, nobody, 0, MPI.SUM);
                win.compareAndSwap(data, data, result, MPI.INT, nobody, 0);
                final Request[] requests = {win.rPut(data, 1, MPI.INT, nobody, 0, 1, MPI.INT), win.rGet(result, 1, MPI.INT, nobody, 0, 1, MPI.INT),
                    win.rAccumulate(data, 1, MPI.INT, nobody, 0, 1, MPI.INT, MPI.SUM),
                    win.rGetAccumulate(data, 1, MPI.INT, result, 1, MPI.INT, nobody, 0, 1, MPI.INT, MPI.SUM)};
                for (final Status status : Request.waitAllStatus(requests)) {
                    assertEquals(0, status.getCount(MPI.INT));
                }
                if (isFence) {
                    win.fence(MPI.MODE_NOSUCCEED);
                } else {
                    win.unlock(nobody);
                }
            }
            assertEquals(List.of(5, 6), List.of(data.get(0), result.get(0)));
        }
    }

    /** Accesses of no elements do nothing, by each call and with derived types. */
    private static void noElements() throws MPIException {
        final IntBuffer memory = ints(7);
        final IntBuffer data = ints(5);
        final IntBuffer result = ints(6);
        final Datatype none = Datatype.createContiguous(0, MPI.INT);
        none.commit();
        try (Win win = of(memory)) {
            for (final boolean isFence : new boolean[] {true, false}) {
                if (isFence) {
                    win.fence(0);
                } else {
                    win.lock(MPI.LOCK_EXCLUSIVE, next, 0);
                }
                win.put(data, 0, MPI.INT, next, 0, 0, MPI.INT);
                win.put(data, 3, none, next, 0, 0, MPI.INT);
                win.get(result, 0, MPI.INT, next, 1, 2, none);
                win.accumulate(data, 0, MPI.INT, next, 0, 0, MPI.INT, MPI.SUM);
                win.getAccumulate(data, 0, MPI.INT, result, 0, MPI.INT, next, 0, 0, MPI.INT, MPI.SUM);
                if (isFence) {
                    win.fence(MPI.MODE_NOSUCCEED);
                } else {
                    Request.waitAll(new Request[] {win.rPut(data, 0, MPI.INT, next, 0, 0, MPI.INT), win.rGet(result, 0, MPI.INT, next, 0, 0, MPI.INT),
                        win.rAccumulate(data, 0, MPI.INT, next, 0, 0, MPI.INT, MPI.SUM),
                        win.rGetAccumulate(data, 0, MPI.INT, result, 0, MPI.INT, next, 0, 0, MPI.INT, MPI.SUM)});
                    win.unlock(next);
                }
            }
            meet();
            assertEquals(List.of(5, 6, 7), List.of(data.get(0), result.get(0), memory.get(0)));
        }
        none.free();
    }

    /** Attributes are set, read and deleted in any order; those of one window are not those of another one. */
    private static void attributesInAnyOrder() throws MPIException {
        final int[] keys = {Win.createKeyval(), Win.createKeyval(), Win.createKeyval()};
        try (Win win = of(MPI.newIntBuffer(1)); Win other = of(MPI.newIntBuffer(2))) {
            for (final int[] order : new int[][] {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}}) {
                for (final int i : order) {
                    win.setAttr(keys[i], "value " + i);
                    for (final int j : order) {
                        assertNull(other.getAttr(keys[j]));
                    }
                }
                for (final int i : order) {
                    assertEquals("value " + i, win.getAttr(keys[i]));
                }
                for (int i = 2; i >= 0; i--) {
                    win.deleteAttr(keys[order[i]]);
                    for (int j = 0; j < 3; j++) {
                        assertEquals(j < i ? "value " + order[j] : null, win.getAttr(keys[order[j]]));
                    }
                }
            }
            assertEquals(4L, win.getAttr(MPI.WIN_SIZE));
            assertEquals(8L, other.getAttr(MPI.WIN_SIZE));
            win.setName("one");
            other.setName("two");
            assertEquals(List.of("one", "two"), List.of(win.getName(), other.getName()));
        }
        for (final int key : keys) {
            Win.freeKeyval(key);
        }
    }

    /** Calls that do not fit to the epoch are refused, and the window stays usable. */
    private static void wrongCalls() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(1);
        try (Win win = of(memory)) {
            final Group all = win.getGroup();
            final List<Executable> outside = List.of(win::complete, win::waitFor, win::test, () -> win.unlock(0), win::unlockAll, () -> win.flush(0),
                win::flushAll, () -> win.flushLocal(0), win::flushLocalAll, win::sync, () -> put(win, 1, 0, 0),
                () -> win.get(memory, 1, MPI.INT, 0, 0, 1, MPI.INT), () -> win.fetchAndOp(memory, memory, MPI.INT, 0, 0, MPI.SUM));
            for (final Executable call : outside) {
                assertEquals(MPI.ERR_RMA_SYNC, errorClass(call));
            }
            win.fence(0);
            for (final Executable call : outside.subList(0, 10)) {
                assertEquals(MPI.ERR_RMA_SYNC, errorClass(call));
            }
            win.fence(MPI.MODE_NOSUCCEED);
            win.lock(MPI.LOCK_SHARED, 0, 0);
            for (final Executable call : List.<Executable>of(() -> win.fence(0), () -> win.lockAll(0), () -> win.lock(MPI.LOCK_SHARED, 0, 0),
                () -> win.start(all, 0), win::complete, win::unlockAll, win::free)) {
                assertEquals(MPI.ERR_RMA_SYNC, errorClass(call));
            }
            win.unlock(0);
            win.lockAll(0);
            for (final Executable call : List.<Executable>of(() -> win.fence(0), () -> win.lockAll(0), () -> win.lock(MPI.LOCK_SHARED, 0, 0),
                () -> win.start(all, 0), win::complete, () -> win.unlock(0), win::free)) {
                assertEquals(MPI.ERR_RMA_SYNC, errorClass(call));
            }
            win.unlockAll();
            win.post(all, 0);
            assertEquals(MPI.ERR_RMA_SYNC, errorClass(() -> win.post(all, 0)));
            win.start(all, 0);
            for (final Executable call : List.<Executable>of(() -> win.fence(0), () -> win.lockAll(0), () -> win.lock(MPI.LOCK_SHARED, 0, 0),
                () -> win.start(all, 0), () -> win.flush(0), win::free)) {
                assertEquals(MPI.ERR_RMA_SYNC, errorClass(call));
            }
            put(win, rank, next, 0);
            win.complete();
            win.waitFor();
            assertEquals(previous, memory.get(0));
            all.free();
        }
    }
}
