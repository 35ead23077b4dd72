package tutti.cli.tune;

import tutti.coll.Operation;
import tutti.runtime.policy.MessageBytes;

/**
 * Setting that is measured with every applicable algorithm.
 *
 * @param operation   id of the operation
 * @param ranks       number of ranks of the job
 * @param first       number of ranks of the first group, where calls between two groups are measured; otherwise 0
 * @param nodes       number of nodes that have ranks
 * @param ranksPerJvm number of ranks that share a JVM; 0 where all ranks of a node do
 * @param bytes       size of the call in bytes, as rules count it; where they count none, the size of the largest buffer of a rank
 */
public record TuneSetting(String operation, int ranks, int first, int nodes, int ranksPerJvm, long bytes) {

    /** Creates a setting on {@code MPI.COMM_WORLD}, where all ranks of a node share a JVM. */
    public TuneSetting(final String operation, final int ranks, final int nodes, final long bytes) {
        this(operation, ranks, 0, nodes, 0, bytes);
    }

    /** Returns whether rules may depend on the size of the operation's calls, and calls have different sizes. */
    public boolean hasSizes() {
        final Operation<?> o = Operation.of(operation);
        return MessageBytes.known(o, first > 0) && o != (Operation<?>) Operation.BARRIER;
    }

    /** Returns the same setting with another size. */
    TuneSetting withBytes(final long otherBytes) {
        return new TuneSetting(operation, ranks, first, nodes, ranksPerJvm, otherBytes);
    }

    /** Returns the operation, and the numbers of ranks, nodes and JVMs, as text. */
    String described() {
        return operation + ", " + (first == 0 ? "" : first + " and " + (ranks - first) + " of ") + ranks + " ranks on " + nodes
            + (nodes == 1 ? " node" : " nodes") + (ranksPerJvm == 0 ? "" : ", " + ranksPerJvm + " in a JVM");
    }

    /** Returns the number of ranks of the smaller group; 0 where there are no groups. */
    int smaller() {
        return Math.min(first, ranks - first);
    }
}
