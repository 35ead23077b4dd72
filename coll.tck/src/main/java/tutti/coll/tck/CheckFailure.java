package tutti.coll.tck;

/**
 * What one of the checks found, before it is known of which algorithm.
 *
 * @param rank whose plan or memory is wrong
 * @param task which task of that plan; -1 for none in particular
 * @param peer with which rank; -1 for none in particular
 * @param what what is wrong
 */
record CheckFailure(int rank, int task, int peer, String what) {

    static CheckFailure of(final int rank, final RecordedTask task, final String what) {
        return new CheckFailure(rank, task.id(), task.peer(), what + " (" + task + ")");
    }
}
