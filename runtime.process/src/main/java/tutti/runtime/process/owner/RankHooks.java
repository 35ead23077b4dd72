package tutti.runtime.process.owner;

import org.osgi.annotation.versioning.ConsumerType;

/** Callbacks by which the owner of a rank extends the rank's start and end. */
@ConsumerType
public interface RankHooks {

    /** Hooks that do nothing. */
    RankHooks NONE = new RankHooks() {};

    /** Called on the rank's main thread before the program is loaded. An exception fails the rank. */
    default void before() {}

    /**
     * Called on the rank's main thread when {@code main} has returned and no other thread keeps the rank alive.
     *
     * @param outcome the outcome with which the rank is about to end, of kind {@link RankOutcome.Kind#RETURNED}
     * @return {@code outcome}, or the outcome with which the rank ends instead
     */
    default RankOutcome after(final RankOutcome outcome) {
        return outcome;
    }

    /**
     * Called when the rank has ended but threads of it remain. Threads that wait inside the runtime must throw now, and threads that enter
     * it later must throw at once. Called on a thread of the runtime; not called when no thread remains.
     *
     * @param reason why the rank ended, as text
     */
    default void wake(final String reason) {}
}
