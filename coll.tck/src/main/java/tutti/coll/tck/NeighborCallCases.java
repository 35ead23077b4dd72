package tutti.coll.tck;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Operation;

/** The calls that neighborhood collectives are checked with: on a line with open ends, a ring, and a graph with self-loops and double edges. */
final class NeighborCallCases {
    private NeighborCallCases() {}

    static boolean isNeighborhood(final Operation<?> operation) {
        return operation.callType() == Call.NeighborAllgather.class || operation.callType() == Call.NeighborAlltoall.class;
    }

    /** Returns a case for each topology. */
    static List<List<? extends Call>> of(final Operation<?> operation, final int size, final int count) {
        final List<List<? extends Call>> cases = new ArrayList<>();
        for (final IntFunction<Neighbors> topology : topologies(size)) {
            cases.add(IntStream.range(0, size).mapToObj(r -> call(operation, r, topology.apply(r), count)).toList());
        }
        return cases;
    }

    private static List<IntFunction<Neighbors>> topologies(final int size) {
        final IntFunction<int[]> twice = r -> new int[] {2 * r % size, 0, r, 2 * r % size};
        return List.of(
            r -> Neighbors.of(new int[] {r + 1 < size ? r + 1 : Call.PROC_NULL, r > 0 ? r - 1 : Call.PROC_NULL},
                new int[] {r > 0 ? r - 1 : Call.PROC_NULL, r + 1 < size ? r + 1 : Call.PROC_NULL}),
            r -> Neighbors.of(new int[] {(r + 1) % size, (r + size - 1) % size}, new int[] {(r + size - 1) % size, (r + 1) % size}),
            r -> Neighbors.of(sourcesOf(r, size, twice), twice.apply(r)));
    }

    private static int[] sourcesOf(final int rank, final int size, final IntFunction<int[]> destinations) {
        return IntStream.range(0, size).map(i -> size - 1 - i)
            .flatMap(s -> Arrays.stream(destinations.apply(s)).filter(d -> d == rank).map(d -> s)).toArray();
    }

    private static Call call(final Operation<?> operation, final int rank, final Neighbors neighbors, final int count) {
        if (operation == Operation.NEIGHBOR_ALLGATHER) {
            return new Call.NeighborAllgather(neighbors, count, Blocks.uniform(neighbors.sources(), count));
        }
        if (operation == Operation.NEIGHBOR_ALLGATHERV) {
            final long[] lengths = IntStream.range(0, neighbors.sources()).mapToLong(i -> length(neighbors.source(i), 0, 0, count)).toArray();
            return new Call.NeighborAllgather(neighbors, length(rank, 0, 0, count), CallCases.spread(lengths));
        }
        if (operation == Operation.NEIGHBOR_ALLTOALL) {
            return new Call.NeighborAlltoall(neighbors, Blocks.uniform(neighbors.destinations(), count),
                Blocks.uniform(neighbors.sources(), count));
        }
        final int[] to = IntStream.range(0, neighbors.destinations()).map(neighbors::destination).toArray();
        final int[] from = IntStream.range(0, neighbors.sources()).map(neighbors::source).toArray();
        final long[] sent = IntStream.range(0, to.length).mapToLong(i -> length(rank, to[i], earlier(to, i), count)).toArray();
        final long[] received = IntStream.range(0, from.length).mapToLong(i -> length(from[i], rank, earlier(from, i), count)).toArray();
        return new Call.NeighborAlltoall(neighbors, CallCases.spread(sent), Blocks.packed(received));
    }

    /** Returns how often the rank at {@code index} occurs before it. */
    private static int earlier(final int[] ranks, final int index) {
        return (int) Arrays.stream(ranks, 0, index).filter(r -> r == ranks[index]).count();
    }

    private static long length(final int from, final int to, final int nth, final int count) {
        return (long) count * Math.floorMod(from + 2 * to + nth + 1, 3);
    }
}
