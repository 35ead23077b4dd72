package tutti.intercept;

import org.osgi.annotation.versioning.ProviderType;
import tutti.coll.CollJob;

/** The rank whose calls are intercepted. Immutable and thread-safe. */
@ProviderType
public interface InterceptedRank {

    /** Returns the job and its parameters; the thread level is the highest, as the rank may not have called Init yet. */
    CollJob job();

    /** Returns the rank's number in COMM_WORLD. */
    int rank();

    /** Returns the name of the rank's node. */
    String node();

    /**
     * Adds a call that has ended to the rank's trace, if the job records one: a message, or any other call as a whole. Called in
     * {@link RankInterceptor#after}.
     */
    void trace(InterceptedCall call);
}
