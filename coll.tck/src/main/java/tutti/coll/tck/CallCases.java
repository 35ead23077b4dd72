package tutti.coll.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;

/**
 * The calls that an operation is checked with: counts, roots, in place and not, commutative and not, uniform blocks and blocks of different lengths.
 * A case is a list of calls, one for each rank.
 *
 * <p>Stateless; safe for any thread.
 */
public final class CallCases {
    static final long ELEMENT = 4;

    private CallCases() {}

    /** Returns the counts that matter for {@code size} ranks: 0, 1, {@code size}, one less, one more, and 37. */
    public static TreeSet<Integer> counts(final int size) {
        return new TreeSet<>(List.of(0, 1, size - 1, size, size + 1, 37));
    }

    /**
     * Returns every case of an operation on an intracommunicator.
     *
     * @param operation the operation
     * @param size      number of ranks
     * @param counts    counts in elements, or in bytes for operations without a datatype
     * @param roots     roots of a rooted operation; ignored by others
     */
    @SuppressWarnings("unchecked")
    public static <C extends Call> List<List<C>> of(final Operation<C> operation, final int size, final Iterable<Integer> counts,
        final int... roots) {
        final List<List<? extends Call>> cases = new ArrayList<>();
        for (final int count : counts) {
            for (final boolean inPlace : new boolean[] {false, true}) {
                if (operation == Operation.BARRIER) {
                    add(cases, size, r -> new Call.Barrier());
                } else if (operation == Operation.ALLGATHER || operation == Operation.ALLGATHERV) {
                    final Blocks blocks = operation == Operation.ALLGATHER ? Blocks.uniform(size, count) : ragged(size, count, 0);
                    add(cases, size, r -> new Call.Allgather(blocks.bytes(r), blocks, inPlace));
                } else if (NeighborCallCases.isNeighborhood(operation)) {
                    if (!inPlace) {
                        cases.addAll(NeighborCallCases.of(operation, size, count));
                    }
                } else if (operation.callType() == Call.Alltoall.class) {
                    alltoall(cases, operation, size, count, inPlace);
                } else if (operation.callType() == Call.Allreduce.class || operation.callType() == Call.Scan.class
                    || operation.callType() == Call.ReduceScatter.class) {
                    reductions(cases, operation, size, count, inPlace);
                } else {
                    for (final int root : roots) {
                        rooted(cases, operation, size, count, root, inPlace);
                    }
                }
            }
        }
        return (List<List<C>>) (List<?>) cases;
    }

    /**
     * Returns every case of an operation on an intercommunicator, with every rank of both groups as root. The calls of a case are in the order of
     * {@link CommGroups}.
     *
     * @param operation the operation
     * @param groups    the groups
     * @param counts    counts in elements, or in bytes for operations without a datatype
     */
    @SuppressWarnings("unchecked")
    public static <C extends Call> List<List<C>> between(final Operation<C> operation, final CommGroups groups, final Iterable<Integer> counts) {
        final List<List<? extends Call>> cases = new ArrayList<>();
        for (final int count : counts) {
            new InterCallCases(groups, count, cases).addAll(operation);
        }
        return (List<List<C>>) (List<?>) cases;
    }

    /** Returns every rank as root. */
    public static int[] allRoots(final int size) {
        return IntStream.range(0, size).toArray();
    }

    private static void add(final List<List<? extends Call>> cases, final int size, final IntFunction<Call> call) {
        cases.add(IntStream.range(0, size).mapToObj(call).toList());
    }

    private static void alltoall(final List<List<? extends Call>> cases, final Operation<?> operation, final int size, final int count,
        final boolean inPlace) {
        final boolean uniform = operation == Operation.ALLTOALL;
        if (uniform) {
            final Blocks blocks = Blocks.uniform(size, count);
            add(cases, size, r -> new Call.Alltoall(blocks, blocks, inPlace));
        } else if (inPlace) {
            final IntFunction<Blocks> swapped = r -> spread(lengths(size, i -> (long) count * ((i + r) % 3)));
            add(cases, size, r -> new Call.Alltoall(swapped.apply(r), swapped.apply(r), true));
        } else {
            add(cases, size, r -> new Call.Alltoall(spread(lengths(size, i -> (long) count * ((r + 2 * i) % 3))),
                Blocks.packed(lengths(size, i -> (long) count * ((i + 2 * r) % 3))), false));
        }
    }

    private static void reductions(final List<List<? extends Call>> cases, final Operation<?> operation, final int size, final int count,
        final boolean inPlace) {
        for (final boolean commutative : new boolean[] {false, true}) {
            final SymbolicReduction op = new SymbolicReduction(ELEMENT, commutative);
            if (operation == Operation.ALLREDUCE) {
                add(cases, size, r -> new Call.Allreduce(op, count, inPlace));
            } else if (operation == Operation.REDUCE_SCATTER) {
                final Blocks blocks = Blocks.packed(lengths(size, i -> ELEMENT * count * ((i + 2) % 3)));
                add(cases, size, r -> new Call.ReduceScatter(op, blocks, inPlace));
            } else if (operation == Operation.REDUCE_SCATTER_BLOCK) {
                final Blocks blocks = Blocks.uniform(size, ELEMENT * count);
                add(cases, size, r -> new Call.ReduceScatter(op, blocks, inPlace));
            } else {
                add(cases, size, r -> new Call.Scan(op, count, inPlace));
            }
        }
    }

    private static void rooted(final List<List<? extends Call>> cases, final Operation<?> operation, final int size, final int count,
        final int root, final boolean inPlace) {
        final boolean ragged = operation == Operation.GATHERV || operation == Operation.SCATTERV;
        final Blocks blocks = ragged ? ragged(size, count, root) : Blocks.uniform(size, count);
        final IntFunction<@Nullable Blocks> known = r -> ragged && r != root ? null : blocks;
        if (operation == Operation.BCAST) {
            add(cases, size, r -> new Call.Bcast(count, root));
        } else if (operation.callType() == Call.Gather.class) {
            add(cases, size, r -> new Call.Gather(blocks.bytes(r), known.apply(r), root, inPlace && r == root));
        } else if (operation.callType() == Call.Scatter.class) {
            add(cases, size, r -> new Call.Scatter(known.apply(r), blocks.bytes(r), root, inPlace && r == root));
        } else {
            for (final boolean commutative : new boolean[] {false, true}) {
                final SymbolicReduction op = new SymbolicReduction(ELEMENT, commutative);
                add(cases, size, r -> new Call.Reduce(op, count, root, inPlace && r == root));
            }
        }
    }

    /** Returns blocks of different lengths, some of them empty, at descending offsets with gaps between them. */
    static Blocks ragged(final int size, final int count, final int turn) {
        return spread(lengths(size, i -> (long) count * ((i + turn + 1) % 3)));
    }

    static long[] lengths(final int size, final IntToLongFunction length) {
        return IntStream.range(0, size).mapToLong(length).toArray();
    }

    static Blocks spread(final long... lengths) {
        final long[] offsets = new long[lengths.length];
        long next = 5;
        for (int i = lengths.length - 1; i >= 0; i--) {
            offsets[i] = next;
            next += lengths[i] + 3;
        }
        return Blocks.of(lengths, offsets);
    }
}
