package tutti.runtime.policy;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;
import tutti.coll.Reduction;

/**
 * A rule of a {@link RuleTable}: names the modules or algorithms that serve the calls which meet all conditions.
 *
 * @param operation    id of the operation; null for any
 * @param ranks        number of ranks of the communicator, on an intercommunicator of both groups
 * @param groups       number of ranks of each group of an intercommunicator; both must be in the range. Null for a rule for intracommunicators
 * @param nodes        number of nodes that hold ranks of it
 * @param ranksPerNode number of its ranks on each of these nodes; all must be in the range
 * @param link         class of the links between these nodes; null is no condition. A communicator on one node has none: it counts as fast
 * @param bytes        bytes of the call as defined by {@link MessageBytes}; {@link LongRange#ALL} is no condition
 * @param commutative  whether the reduction commutes; null is no condition, another value is met by reductions alone
 * @param inPlace      whether the ranks are in place; null is no condition, another value is met only by operations where either all ranks are
 *                     in place or none
 * @param refs         references to the modules or algorithms, at least one; the first that can serve a call serves it
 */
public record SelectionRule(@Nullable String operation, LongRange ranks, @Nullable LongRange groups, LongRange nodes, LongRange ranksPerNode,
    @Nullable LinkSpeed link, LongRange bytes, @Nullable Boolean commutative, @Nullable Boolean inPlace, List<AlgorithmRef> refs) {
    private static final Set<Operation<?>> REDUCTIONS = Set.of(Operation.REDUCE, Operation.ALLREDUCE, Operation.SCAN, Operation.EXSCAN,
        Operation.REDUCE_SCATTER, Operation.REDUCE_SCATTER_BLOCK);
    /** The operations for which MPI requires that either all ranks are in place or none. */
    private static final Set<Operation<?>> UNIFORM_IN_PLACE = Set.of(Operation.ALLGATHER, Operation.ALLGATHERV, Operation.ALLREDUCE,
        Operation.ALLTOALL, Operation.ALLTOALLV, Operation.ALLTOALLW);

    /**
     * Refuses conditions that have no meaning for the operation, and a rule without references.
     *
     * @throws IllegalArgumentException with the field and the allowed values as its message
     */
    public SelectionRule {
        refs = List.copyOf(refs);
        if (refs.isEmpty()) {
            throw new IllegalArgumentException("use: empty; allowed: one module or algorithm, or several");
        }
        ranks = orAll(ranks);
        nodes = orAll(nodes);
        ranksPerNode = orAll(ranksPerNode);
        bytes = orAll(bytes);
        if (operation != null) {
            final Operation<?> o = Operation.of(operation);
            if (groups != null && !o.onIntercommunicators()) {
                throw new IllegalArgumentException("groups: " + o + " is not defined on intercommunicators; allowed with all operations but scan, "
                    + "exscan and those of neighbours");
            }
            if (commutative != null && !isReduction(o)) {
                throw new IllegalArgumentException("commutative: " + o + " is not a reduction; allowed with reduce, allreduce, scan, exscan, "
                    + "reduce_scatter, reduce_scatter_block");
            }
            if (inPlace != null && !isInPlaceUniform(o)) {
                throw new IllegalArgumentException("inPlace: ranks may differ in " + o + "; allowed with allgather, allgatherv, allreduce, "
                    + "alltoall, alltoallv, alltoallw");
            }
        }
    }

    /** Creates a rule for intracommunicators, whatever the links. */
    public SelectionRule(final @Nullable String operation, final LongRange ranks, final LongRange nodes, final LongRange ranksPerNode,
        final LongRange bytes, final @Nullable Boolean commutative, final @Nullable Boolean inPlace, final List<AlgorithmRef> refs) {
        this(operation, ranks, null, nodes, ranksPerNode, null, bytes, commutative, inPlace, refs);
    }

    private static LongRange orAll(final LongRange range) {
        return range == null ? LongRange.ALL : range;
    }

    /** Returns whether the operation is a reduction, so that a rule may ask for commutative calls. */
    public static boolean isReduction(final Operation<?> operation) {
        return REDUCTIONS.contains(operation);
    }

    /** Returns whether either all ranks of a call are in place or none, so that a rule may ask for calls in place. */
    public static boolean isInPlaceUniform(final Operation<?> operation) {
        return UNIFORM_IN_PLACE.contains(operation);
    }

    /**
     * Returns whether calls of an operation can meet this rule on a communicator.
     *
     * @param rankCount   number of its ranks
     * @param groupSizes  smaller and larger number of ranks of its groups; null for an intracommunicator
     * @param nodeCount   number of nodes that hold ranks of it
     * @param rankCounts smallest and largest number of its ranks on one of these nodes
     * @param speed       class of the links between these nodes
     */
    public boolean appliesTo(final Operation<?> o, final int rankCount, final @Nullable LongRange groupSizes, final int nodeCount,
        final LongRange rankCounts, final LinkSpeed speed) {
        return (operation == null || operation.equals(o.id())) && ranks.contains(rankCount) && covers(groups, groupSizes) && nodes.contains(nodeCount)
            && ranksPerNode.covers(rankCounts) && (link == null || link == speed) && (!limitsBytes() || MessageBytes.known(o, groupSizes != null))
            && (commutative == null || isReduction(o)) && (inPlace == null || isInPlaceUniform(o));
    }

    /** Returns whether a condition on groups is met: both are null, or the range covers the sizes. */
    private static boolean covers(final @Nullable LongRange groups, final @Nullable LongRange sizes) {
        return groups == null ? sizes == null : sizes != null && groups.covers(sizes);
    }

    /** Returns whether a condition depends on the call, not only on the operation and the communicator. */
    public boolean dependsOnCall() {
        return limitsBytes() || commutative != null || inPlace != null;
    }

    /**
     * Returns whether a call meets this rule, given that the rule {@linkplain #appliesTo applies} to its operation.
     *
     * @param callBytes     bytes of the call as defined by {@link MessageBytes}
     * @param reduction     its reduction; null where it has none, or where this rank does not know it
     * @param isCallInPlace whether all ranks are in place
     */
    public boolean matches(final long callBytes, final @Nullable Reduction reduction, final boolean isCallInPlace) {
        return (!limitsBytes() || bytes.contains(callBytes))
            && (commutative == null || reduction != null && commutative == reduction.isCommutative())
            && (inPlace == null || inPlace == isCallInPlace);
    }

    /** Returns whether all calls that meet the other rule meet this one. */
    boolean covers(final SelectionRule other) {
        return (operation == null || operation.equals(other.operation)) && ranks.covers(other.ranks) && covers(groups, other.groups)
            && nodes.covers(other.nodes)
            && ranksPerNode.covers(other.ranksPerNode) && (link == null || link == other.link) && bytes.covers(other.bytes)
            && (commutative == null || commutative.equals(other.commutative)) && (inPlace == null || inPlace.equals(other.inPlace));
    }

    private boolean limitsBytes() {
        return !bytes.equals(LongRange.ALL);
    }

    /** Returns whether no call can ever meet this rule, because it limits bytes that not every rank knows. */
    boolean neverMatches() {
        return operation != null && limitsBytes() && !MessageBytes.known(Operation.of(operation), groups != null);
    }

    void write(final DataOutput out) throws IOException {
        out.writeUTF(Objects.requireNonNullElse(operation, ""));
        out.writeBoolean(groups != null);
        for (final LongRange range : Arrays.asList(ranks, groups == null ? LongRange.ALL : groups, nodes, ranksPerNode, bytes)) {
            out.writeLong(range.min());
            out.writeLong(range.max());
        }
        out.writeUTF(link == null ? "" : link.name());
        out.writeUTF(String.valueOf(commutative));
        out.writeUTF(String.valueOf(inPlace));
        out.writeInt(refs.size());
        for (final AlgorithmRef ref : refs) {
            out.writeUTF(ref.toString());
        }
    }

    static SelectionRule read(final DataInput in) throws IOException {
        final String operation = in.readUTF();
        final boolean hasGroups = in.readBoolean();
        final LongRange[] ranges = new LongRange[5];
        for (int i = 0; i < ranges.length; i++) {
            ranges[i] = new LongRange(in.readLong(), in.readLong());
        }
        final String link = in.readUTF();
        final Boolean commutative = condition(in.readUTF());
        final Boolean inPlace = condition(in.readUTF());
        final List<AlgorithmRef> refs = new ArrayList<>();
        for (int n = in.readInt(); n > 0; n--) {
            refs.add(AlgorithmRef.of(in.readUTF()));
        }
        return new SelectionRule(operation.isEmpty() ? null : operation, ranges[0], hasGroups ? ranges[1] : null, ranges[2], ranges[3],
            link.isEmpty() ? null : LinkSpeed.valueOf(link), ranges[4], commutative, inPlace, refs);
    }

    private static @Nullable Boolean condition(final String text) {
        return text.equals("null") ? null : Boolean.valueOf(text);
    }

    /** Returns the conditions and the references. */
    @Override
    public String toString() {
        return (operation == null ? "any operation" : operation) + part("ranks", ranks)
            + (groups == null ? "" : ", groups " + groups) + part("nodes", nodes)
            + part("ranks per node", ranksPerNode) + (link == null ? "" : ", link " + link) + part("bytes", bytes)
            + (commutative == null ? "" : commutative ? ", commutative" : ", not commutative")
            + (inPlace == null ? "" : inPlace ? ", in place" : ", not in place") + ": "
            + refs.stream().map(AlgorithmRef::toString).collect(Collectors.joining(", else "));
    }

    private static String part(final String name, final LongRange range) {
        return range.equals(LongRange.ALL) ? "" : ", " + name + " " + range;
    }
}
