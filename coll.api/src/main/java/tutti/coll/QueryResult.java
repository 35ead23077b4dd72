package tutti.coll;

/** A module's answer for a communicator. */
public sealed interface QueryResult {

    /**
     * The module can serve.
     *
     * @param priority 0 (lowest) to 100; the lowest over all ranks counts
     * @param instance the module on this communicator
     */
    record Usable(int priority, CollInstance instance) implements QueryResult {
        /** Refuses a priority out of range. */
        public Usable {
            if (priority < 0 || priority > 100) {
                throw new IllegalArgumentException("priority out of range: priority=" + priority + ", range=0..100");
            }
        }
    }

    /**
     * The module cannot serve here.
     *
     * @param reason in words that a person can read, shown by {@code explain}
     */
    record Declined(String reason) implements QueryResult { }

    /** Usable with a table that needs no set-up. */
    static QueryResult usable(final int priority, final AlgorithmTable table) {
        return new Usable(priority, () -> table);
    }
}
