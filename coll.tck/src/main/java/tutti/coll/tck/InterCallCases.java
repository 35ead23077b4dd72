package tutti.coll.tck;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;

/** The calls that an operation is checked with on an intercommunicator, in the order of {@link CommGroups}: see {@link CallCases}. For one thread. */
final class InterCallCases {
    private final CommGroups groups;
    private final int count;
    private final List<List<? extends Call>> cases;

    InterCallCases(final CommGroups groups, final int count, final List<List<? extends Call>> cases) {
        this.groups = groups;
        this.count = count;
        this.cases = cases;
    }

    void addAll(final Operation<?> operation) {
        if (operation == Operation.BARRIER) {
            add(p -> new Call.Barrier());
        } else if (operation.callType() == Call.Allgather.class) {
            allgather(operation == Operation.ALLGATHERV);
        } else if (operation.callType() == Call.Alltoall.class) {
            alltoall(operation == Operation.ALLTOALL);
        } else if (operation.callType() == Call.Allreduce.class) {
            eachReduction(op -> add(p -> new Call.Allreduce(op, count, false)));
        } else if (operation.callType() == Call.ReduceScatter.class) {
            eachReduction(op -> add(p -> new Call.ReduceScatter(op, ownBlocks(operation == Operation.REDUCE_SCATTER, p), false)));
        } else {
            IntStream.range(0, groups.size()).forEach(root -> rooted(operation, root));
        }
    }

    private void add(final IntFunction<Call> call) {
        cases.add(IntStream.range(0, groups.size()).mapToObj(call).toList());
    }

    private interface WithReduction {
        void add(SymbolicReduction op);
    }

    private static void eachReduction(final WithReduction add) {
        add.add(new SymbolicReduction(CallCases.ELEMENT, false));
        add.add(new SymbolicReduction(CallCases.ELEMENT, true));
    }

    /** Returns the blocks that the ranks of a group contribute. Those of the second group are longer. */
    private Blocks contributed(final boolean ragged, final int base, final int members) {
        final int length = base == 0 ? count : 2 * count;
        return ragged ? CallCases.ragged(members, length, base) : Blocks.uniform(members, length);
    }

    private void allgather(final boolean ragged) {
        add(p -> new Call.Allgather(contributed(ragged, groups.base(p), groups.members(p)).bytes(groups.rank(p)),
            contributed(ragged, groups.remoteBase(p), groups.remoteMembers(p)), false));
    }

    private long between(final int from, final int to) {
        return (long) count * ((from + 2 * to) % 3);
    }

    private void alltoall(final boolean uniform) {
        add(p -> {
            final int remote = groups.remoteBase(p);
            final int members = groups.remoteMembers(p);
            final int sent = remote == 0 ? count : 2 * count;
            return uniform ? new Call.Alltoall(Blocks.uniform(members, sent), Blocks.uniform(members, 3 * count - sent), false)
                : new Call.Alltoall(CallCases.spread(CallCases.lengths(members, i -> between(p, remote + i))),
                    Blocks.packed(CallCases.lengths(members, i -> between(remote + i, p))), false);
        });
    }

    /** Returns the blocks into which a group divides the result of its remote group's contributions. Both groups contribute the same length. */
    private Blocks ownBlocks(final boolean ragged, final int index) {
        final long total = (long) count * groups.first() * groups.second();
        final int members = groups.members(index);
        if (!ragged) {
            return Blocks.uniform(members, CallCases.ELEMENT * (total / members));
        }
        final long[] lengths = CallCases.lengths(members, i -> CallCases.ELEMENT * (total / members * ((i + 1) % 2)));
        lengths[members - 1] += CallCases.ELEMENT * total - IntStream.range(0, members).mapToLong(i -> lengths[i]).sum();
        return Blocks.packed(lengths);
    }

    private void rooted(final Operation<?> operation, final int rootIndex) {
        final boolean ragged = operation == Operation.GATHERV || operation == Operation.SCATTERV;
        final int members = groups.remoteMembers(rootIndex);
        final Blocks blocks = ragged ? CallCases.ragged(members, count, rootIndex) : Blocks.uniform(members, count);
        final IntFunction<Integer> root = p -> p == rootIndex ? Call.ROOT
            : groups.base(p) == groups.base(rootIndex) ? Call.PROC_NULL : groups.rank(rootIndex);
        final IntFunction<@Nullable Blocks> known = p -> p == rootIndex || !ragged && root.apply(p) >= 0 ? blocks : null;
        final IntFunction<Long> own = p -> root.apply(p) >= 0 ? blocks.bytes(groups.rank(p)) : 0L;
        if (operation == Operation.BCAST) {
            add(p -> new Call.Bcast(root.apply(p) == Call.PROC_NULL ? 0 : count, root.apply(p)));
        } else if (operation.callType() == Call.Gather.class) {
            add(p -> new Call.Gather(own.apply(p), known.apply(p), root.apply(p), false));
        } else if (operation.callType() == Call.Scatter.class) {
            add(p -> new Call.Scatter(known.apply(p), own.apply(p), root.apply(p), false));
        } else {
            eachReduction(op -> add(p -> root.apply(p) == Call.PROC_NULL ? new Call.Reduce(null, 0, Call.PROC_NULL, false)
                : new Call.Reduce(op, count, root.apply(p), false)));
        }
    }
}
