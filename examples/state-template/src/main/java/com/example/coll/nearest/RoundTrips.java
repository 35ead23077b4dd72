package com.example.coll.nearest;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.stream.IntStream;
import tutti.coll.advanced.SetupComm;

/** The times of a message's round trip between all pairs of ranks of a communicator, in nanoseconds. Immutable. */
final class RoundTrips {
    /** Round trips between two ranks, of which the median counts. An odd number; the first one may also connect two nodes. */
    private static final int EXCHANGES = 5;

    private final int size;
    /** Time from rank a to rank b and back at {@code a * size + b}. */
    private final long[] nanos;

    private RoundTrips(final int size, final long[] nanos) {
        this.size = size;
        this.nanos = nanos;
    }

    /** Returns times of 0 between all ranks. */
    static RoundTrips unknown(final int size) {
        return new RoundTrips(size, new long[size * size]);
    }

    /** Returns times that are known: row by row, the times from one rank to all. */
    static RoundTrips of(final long[]... rows) {
        return new RoundTrips(rows.length, Arrays.stream(rows).flatMapToLong(Arrays::stream).toArray());
    }

    /**
     * Measures the times between all ranks. Collective; returns the same times on all ranks.
     *
     * <p>There is a round for each rank. In round k the ranks a and b with a + b = k modulo the number of ranks are a pair, and a rank that would be
     * its own peer pauses. So each rank is in one pair at a time, and each pair meets once. The barrier makes both wait until the other one has
     * finished its round before, which would otherwise count as time of their messages.
     */
    static RoundTrips measure(final SetupComm comm) {
        final int size = comm.size();
        final long[] nanos = new long[size * size];
        for (int round = 0; round < size; round++) {
            final int peer = Math.floorMod(round - comm.rank(), size);
            comm.barrier();
            if (comm.rank() < peer) {
                final long median = median(comm, peer);
                nanos[comm.rank() * size + peer] = median;
                nanos[peer * size + comm.rank()] = median;
            } else if (comm.rank() > peer) {
                echo(comm, peer);
            }
        }
        // a pair's time is known to one of its ranks and 0 on all others
        comm.allreduce(nanos, Math::max);
        return new RoundTrips(size, nanos);
    }

    private static long median(final SetupComm comm, final int peer) {
        final byte[] message = new byte[1];
        final long[] times = new long[EXCHANGES];
        for (int i = 0; i < EXCHANGES; i++) {
            final long start = System.nanoTime();
            comm.send(message, peer);
            comm.recv(message, peer);
            times[i] = System.nanoTime() - start;
        }
        Arrays.sort(times);
        return times[EXCHANGES / 2];
    }

    private static void echo(final SetupComm comm, final int peer) {
        final byte[] message = new byte[1];
        for (int i = 0; i < EXCHANGES; i++) {
            comm.recv(message, peer);
            comm.send(message, peer);
        }
    }

    /** Returns all ranks, from the root on: each rank is followed by the nearest of those that are left, by the lowest one of several. */
    List<Integer> chain(final int root) {
        final SequencedSet<Integer> chain = new LinkedHashSet<>(List.of(root));
        while (chain.size() < size) {
            final int row = chain.getLast() * size;
            chain.add(IntStream.range(0, size).boxed().filter(rank -> !chain.contains(rank))
                .min(Comparator.comparingLong(rank -> nanos[row + rank])).orElseThrow());
        }
        return List.copyOf(chain);
    }
}
