package tutti.coll.tck;

/**
 * The failure of a check, from which a {@link CounterExample} is made.
 *
 * @param rank the rank whose plan or memory is wrong, by index
 * @param task the task of that plan; -1 for none in particular
 * @param peer the peer of that task; -1 for none in particular
 * @param reason what is wrong
 */
record CheckFailure(int rank, int task, int peer, String reason) {

    static CheckFailure of(final int rank, final RecordedTask task, final String what) {
        return new CheckFailure(rank, task.id(), task.peer(), what + " (" + task + ")");
    }
}
