package tutti.runtime.process;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.runtime.job.RankOutcome;

/** What whoever runs a rank adds to it. */
@ConsumerType
public interface RankHooks {

    /** Nothing is added. */
    RankHooks NONE = new RankHooks() { };

    /** Called on the rank's main thread before the program is loaded. An exception fails the rank. */
    default void before() { }

    /**
     * Called on the rank's main thread when {@code main} has returned and no other thread keeps the rank alive.
     *
     * @param end the way in which the rank is about to end: {@link RankOutcome.Kind#RETURNED}
     * @return how the rank ends instead, or {@code end}
     */
    default RankOutcome after(final RankOutcome end) {
        return end;
    }

    /**
     * The rank has ended but threads of it remain: those that wait within the runtime must throw now, and those that come there later at
     * once. Called on a thread of the runtime, not at all when no thread remains.
     *
     * @param reason in words
     */
    default void wake(final String reason) { }
}
