package tutti.coll;

/** A module's answer for a communicator. */
public sealed interface Verdict {

    /**
     * The module can serve.
     *
     * @param priority 0 (lowest) to 100; the lowest over all ranks counts
     * @param instance the module on this communicator
     */
    record Usable(int priority, CollInstance instance) implements Verdict {
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
    record Declined(String reason) implements Verdict { }

    /** Usable with a table that needs no set-up. */
    static Verdict usable(final int priority, final Table table) {
        return new Usable(priority, () -> table);
    }
}
