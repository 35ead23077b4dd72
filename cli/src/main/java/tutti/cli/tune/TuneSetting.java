package tutti.cli.tune;

import tutti.coll.Operation;
import tutti.runtime.policy.MessageBytes;

/**
 * Setting that is measured with every applicable algorithm.
 *
 * @param operation id of the operation
 * @param ranks     number of ranks of the job
 * @param nodes     number of nodes that have ranks
 * @param bytes     size of the call in bytes, as rules count it; where they count none, the size of the largest buffer of a rank
 */
public record TuneSetting(String operation, int ranks, int nodes, long bytes) {

    /** Returns whether rules may depend on the size of the operation's calls, and calls have different sizes. */
    public static boolean hasSizes(final String operation) {
        final Operation<?> o = Operation.of(operation);
        return MessageBytes.known(o) && o != (Operation<?>) Operation.BARRIER;
    }
}
