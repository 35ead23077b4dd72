package tutti.intercept;

import org.osgi.annotation.versioning.ProviderType;
import tutti.coll.CollJob;

/** The rank whose calls are intercepted. Immutable and thread-safe. */
@ProviderType
public interface InterceptedRank {
    /** Most bytes of a report that {@link #keepReport} accepts. */
    int MAX_REPORT = 16 << 20;

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

    /**
     * Hands over the interceptor's report of the job, which the node that coordinates the job then keeps in memory for its live page, under the
     * name of the module. Called on rank 0 of the job, as a rule in {@link RankInterceptor#report}; a later report replaces an earlier one. It is
     * sent when the rank ends. The page shows that of module {@code intercept.profile}, and offers others for download.
     *
     * @param mediaType media type in lower case without parameters, such as {@code application/json}; text is in UTF-8
     * @param content   the report, which is copied
     * @throws IllegalArgumentException when it is longer than {@link #MAX_REPORT}, or that is no media type
     * @throws IllegalStateException    on another rank
     */
    void keepReport(String mediaType, byte[] content);
}
