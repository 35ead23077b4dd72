package tutti.daemon.tune;

import tutti.coll.Operation;
import tutti.runtime.select.MessageBytes;

/**
 * What is measured with every algorithm that can serve it.
 *
 * @param operation id of the operation
 * @param ranks     of the job
 * @param nodes     that hold them
 * @param bytes     of the call, as rules count them; where they count none, those of the largest buffer
 */
public record TuneSetting(String operation, int ranks, int nodes, long bytes) {

    /** Whether rules may look at the bytes of the operation's calls, and they differ. */
    public static boolean hasSizes(final String operation) {
        final Operation<?> o = Operation.of(operation);
        return MessageBytes.known(o) && o != (Operation<?>) Operation.BARRIER;
    }
}
