package tutti.runtime.select;

import java.util.List;
import java.util.stream.Collectors;
import tutti.coll.Operation;

/**
 * A line of a table of rules: for the calls that meet all conditions, the modules or algorithms that are to serve.
 *
 * @param operation    id of the operation; null for any
 * @param ranks        of the communicator
 * @param nodes        that hold ranks of it
 * @param ranksPerNode of it, which must hold for each of those nodes
 * @param bytes        of the call, as in {@link MessageBytes}; {@link LongRange#ALL} is no condition
 * @param commutative  of the reduction; null is no condition, anything else is met by reductions alone
 * @param inPlace      of all ranks; null is no condition, anything else is met alone by operations where all ranks are in place or none
 * @param uses         what is to serve: the first that can, so there is one at least
 */
public record SelectionRule(String operation, LongRange ranks, LongRange nodes, LongRange ranksPerNode, LongRange bytes, Boolean commutative,
    Boolean inPlace,
                            List<AlgorithmRef> uses) {
    /**
     * Refuses conditions that the operation gives no sense, and a rule that uses nothing.
     *
     * @throws IllegalArgumentException says which field and what is allowed
     */
    public SelectionRule {
        uses = List.copyOf(uses);
        if (uses.isEmpty()) {
            throw new IllegalArgumentException("use: nothing; allowed: one module or algorithm, or several");
        }
        ranks = orAll(ranks);
        nodes = orAll(nodes);
        ranksPerNode = orAll(ranksPerNode);
        bytes = orAll(bytes);
        if (operation != null) {
            final Operation<?> o = Operation.of(operation);
            if (commutative != null && !CallProperties.reduces(o)) {
                throw new IllegalArgumentException("commutative: " + o + " combines nothing; allowed with reduce, allreduce, scan, exscan, "
                    + "reduce_scatter, reduce_scatter_block");
            }
            if (inPlace != null && !CallProperties.inPlaceTogether(o)) {
                throw new IllegalArgumentException("inPlace: ranks may differ in " + o + "; allowed with allgather, allgatherv, allreduce, "
                    + "alltoall, alltoallv, alltoallw");
            }
        }
    }

    private static LongRange orAll(final LongRange range) {
        return range == null ? LongRange.ALL : range;
    }

    /** Whether calls of an operation can meet it on a communicator of that layout. */
    boolean concerns(final Operation<?> o, final NodeLayout layout) {
        return (operation == null || operation.equals(o.id())) && ranks.contains(layout.ranks()) && nodes.contains(layout.nodes())
            && ranksPerNode.covers(new LongRange(layout.fewest(), layout.most())) && (!limitsBytes() || MessageBytes.known(o))
            && (commutative == null || CallProperties.reduces(o)) && (inPlace == null || CallProperties.inPlaceTogether(o));
    }

    /** Whether it asks for something that differs from call to call. */
    boolean looksAtCalls() {
        return limitsBytes() || commutative != null || inPlace != null;
    }

    /** Whether a call that it concerns meets it. */
    boolean admits(final CallProperties call) {
        return (!limitsBytes() || bytes.contains(call.bytes()))
            && (commutative == null || call.reduction() != null && commutative == call.reduction().isCommutative())
            && (inPlace == null || inPlace == call.inPlace());
    }

    /** Whether all calls that meet the other meet this one. */
    boolean covers(final SelectionRule other) {
        return (operation == null || operation.equals(other.operation)) && ranks.covers(other.ranks) && nodes.covers(other.nodes)
            && ranksPerNode.covers(other.ranksPerNode) && bytes.covers(other.bytes)
            && (commutative == null || commutative.equals(other.commutative)) && (inPlace == null || inPlace.equals(other.inPlace));
    }

    private boolean limitsBytes() {
        return !bytes.equals(LongRange.ALL);
    }

    /** Whether no call can ever meet it, since it asks for bytes that not every rank knows. */
    boolean isVain() {
        return operation != null && limitsBytes() && !MessageBytes.known(Operation.of(operation));
    }

    /** Its conditions and what it uses. */
    @Override
    public String toString() {
        return (operation == null ? "any operation" : operation) + part("ranks", ranks) + part("nodes", nodes)
            + part("ranks per node", ranksPerNode) + part("bytes", bytes)
            + (commutative == null ? "" : commutative ? ", commutative" : ", not commutative")
            + (inPlace == null ? "" : inPlace ? ", in place" : ", not in place") + ": "
            + uses.stream().map(AlgorithmRef::toString).collect(Collectors.joining(", else "));
    }

    private static String part(final String name, final LongRange range) {
        return range.equals(LongRange.ALL) ? "" : ", " + name + " " + range;
    }
}
