package tutti.coll;

import java.util.function.Function;

/** A module's answer to a query: the module can serve the communicator, or it declines. */
public sealed interface QueryResult {

    /**
     * The module can serve the communicator.
     *
     * @param priority 0 (lowest) to 100; the minimum over all ranks is used
     * @param instance the module's state on this communicator
     */
    record Usable(int priority, CollInstance instance) implements QueryResult {
        /**
         * Checks the priority.
         *
         * @throws IllegalArgumentException if the priority is not in 0..100
         */
        public Usable {
            if (priority < 0 || priority > 100) {
                throw new IllegalArgumentException("priority out of range: priority=" + priority + ", range=0..100");
            }
        }
    }

    /**
     * The module cannot serve the communicator. If one rank declines, no rank uses the module on it.
     *
     * @param reason a text for people, shown by {@code tutti explain}
     */
    record Declined(String reason) implements QueryResult {}

    /**
     * Returns an answer for a module that needs no initialization.
     *
     * @param priority 0 (lowest) to 100
     * @param table    the algorithms that the module offers
     * @throws IllegalArgumentException if the priority is not in 0..100
     */
    static QueryResult usable(final int priority, final AlgorithmTable table) {
        return new Usable(priority, new TableOnly(table, job -> null));
    }

    /**
     * Returns an answer for a module that needs no initialization, and whose algorithms can have other values of parameters than the job.
     *
     * @param priority 0 (lowest) to 100
     * @param job      the communicator's job
     * @param tables   creates the algorithms with the parameters of a job, see {@link CollInstance#tuned}
     * @throws IllegalArgumentException if the priority is not in 0..100
     */
    static QueryResult usable(final int priority, final CollJob job, final Function<CollJob, AlgorithmTable> tables) {
        return new Usable(priority, new TableOnly(tables.apply(job), tables::apply));
    }
}
