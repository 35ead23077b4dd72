package tutti.runtime.select;

import java.util.List;
import java.util.stream.Collectors;
import tutti.coll.Operation;

/**
 * A rule of a {@link RuleTable}: names the modules or algorithms that serve the calls which meet all conditions.
 *
 * @param operation    id of the operation; null for any
 * @param ranks        number of ranks of the communicator
 * @param nodes        number of nodes that hold ranks of it
 * @param ranksPerNode number of its ranks on each of these nodes; all must be in the range
 * @param bytes        bytes of the call as defined by {@link MessageBytes}; {@link LongRange#ALL} is no condition
 * @param commutative  whether the reduction commutes; null is no condition, another value is met by reductions alone
 * @param inPlace      whether the ranks are in place; null is no condition, another value is met only by operations where either all ranks are
 *                     in place or none
 * @param refs         references to the modules or algorithms, at least one; the first that can serve a call serves it
 */
public record SelectionRule(String operation, LongRange ranks, LongRange nodes, LongRange ranksPerNode, LongRange bytes, Boolean commutative,
    Boolean inPlace,
    List<AlgorithmRef> refs) {
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
            if (commutative != null && !CallProperties.reduces(o)) {
                throw new IllegalArgumentException("commutative: " + o + " is not a reduction; allowed with reduce, allreduce, scan, exscan, "
                    + "reduce_scatter, reduce_scatter_block");
            }
            if (inPlace != null && !CallProperties.isInPlaceUniform(o)) {
                throw new IllegalArgumentException("inPlace: ranks may differ in " + o + "; allowed with allgather, allgatherv, allreduce, "
                    + "alltoall, alltoallv, alltoallw");
            }
        }
    }

    private static LongRange orAll(final LongRange range) {
        return range == null ? LongRange.ALL : range;
    }

    /** Returns whether calls of an operation can meet this rule on a communicator of that layout. */
    boolean appliesTo(final Operation<?> o, final NodeLayout layout) {
        return (operation == null || operation.equals(o.id())) && ranks.contains(layout.ranks()) && nodes.contains(layout.nodes())
            && ranksPerNode.covers(new LongRange(layout.minRanksPerNode(), layout.maxRanksPerNode())) && (!limitsBytes() || MessageBytes.known(o))
            && (commutative == null || CallProperties.reduces(o)) && (inPlace == null || CallProperties.isInPlaceUniform(o));
    }

    /** Returns whether a condition depends on the call, not only on the operation and the communicator. */
    boolean dependsOnCall() {
        return limitsBytes() || commutative != null || inPlace != null;
    }

    /** Returns whether a call meets this rule, given that the rule {@linkplain #appliesTo applies} to its operation. */
    boolean matches(final CallProperties call) {
        return (!limitsBytes() || bytes.contains(call.bytes()))
            && (commutative == null || call.reduction() != null && commutative == call.reduction().isCommutative())
            && (inPlace == null || inPlace == call.inPlace());
    }

    /** Returns whether all calls that meet the other rule meet this one. */
    boolean covers(final SelectionRule other) {
        return (operation == null || operation.equals(other.operation)) && ranks.covers(other.ranks) && nodes.covers(other.nodes)
            && ranksPerNode.covers(other.ranksPerNode) && bytes.covers(other.bytes)
            && (commutative == null || commutative.equals(other.commutative)) && (inPlace == null || inPlace.equals(other.inPlace));
    }

    private boolean limitsBytes() {
        return !bytes.equals(LongRange.ALL);
    }

    /** Returns whether no call can ever meet this rule, because it limits bytes that not every rank knows. */
    boolean neverMatches() {
        return operation != null && limitsBytes() && !MessageBytes.known(Operation.of(operation));
    }

    /** Returns the conditions and the references. */
    @Override
    public String toString() {
        return (operation == null ? "any operation" : operation) + part("ranks", ranks) + part("nodes", nodes)
            + part("ranks per node", ranksPerNode) + part("bytes", bytes)
            + (commutative == null ? "" : commutative ? ", commutative" : ", not commutative")
            + (inPlace == null ? "" : inPlace ? ", in place" : ", not in place") + ": "
            + refs.stream().map(AlgorithmRef::toString).collect(Collectors.joining(", else "));
    }

    private static String part(final String name, final LongRange range) {
        return range.equals(LongRange.ALL) ? "" : ", " + name + " " + range;
    }
}
