package tutti.coll.tck;

import tutti.coll.Call;
import tutti.coll.Operation;

/**
 * Why an algorithm is wrong.
 *
 * @param operation what it should do
 * @param algorithm its name
 * @param size      ranks
 * @param rank      whose plan or memory is wrong
 * @param task      which task of that plan; -1 for none in particular
 * @param peer      with which rank; -1 for none in particular
 * @param call      what {@code rank} called
 * @param what      what is wrong
 */
public record CounterExample(Operation<?> operation, String algorithm, int size, int rank, int task, int peer, Call call, String what) {

    @Override
    public String toString() {
        return operation + "/" + algorithm + ": " + what + ": size=" + size + ", rank=" + rank
            + (task < 0 ? "" : ", task=" + task) + (peer < 0 ? "" : ", peer=" + peer) + ", call=" + call;
    }
}
