package tutti.coll.tck;

import tutti.coll.Call;
import tutti.coll.Operation;

/**
 * A counter-example: a call for which an algorithm does not meet the contract of its operation, and why.
 *
 * @param operation the operation
 * @param algorithm the name of the algorithm
 * @param size      number of ranks
 * @param rank      the rank whose plan or memory is wrong; by index on an intercommunicator
 * @param task      the task of that plan; -1 for none in particular
 * @param peer      the peer of that task; -1 for none in particular
 * @param call      the call of {@code rank}
 * @param reason      what is wrong
 */
public record CounterExample(Operation<?> operation, String algorithm, int size, int rank, int task, int peer, Call call, String reason) {

    @Override
    public String toString() {
        return operation + "/" + algorithm + ": " + reason + ": size=" + size + ", rank=" + rank
            + (task < 0 ? "" : ", task=" + task) + (peer < 0 ? "" : ", peer=" + peer) + ", call=" + call;
    }
}
