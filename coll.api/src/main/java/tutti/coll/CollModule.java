package tutti.coll;

import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A collective module: a bundle publishes one as a Declarative Service, annotated with {@link ProvidesCollectives}.
 *
 * <p>A module is asked {@link #threads} once per job and node, before anything else, and {@link #query} once for every new communicator,
 * COMM_WORLD and COMM_SELF included. It holds no state of a job but in the instances that it hands out. Methods may be called by
 * several threads at once. An exception from any of them leaves the module out and is reported with the module's name and version.
 */
@ConsumerType
public interface CollModule {
    /** Service property: the module's name, {@code ring} for one. String; required. */
    String NAME = "coll.name";
    /** Service property: the module's version. String in OSGi's syntax; by default the bundle's. */
    String VERSION = "coll.version";

    /**
     * The thread levels that the module supports; empty when it wants to be ignored for this job.
     *
     * @param job the job that starts
     */
    default Optional<ThreadRange> threads(final CollJob job) {
        return Optional.of(ThreadRange.ALL);
    }

    /** Whether and how well the module can serve a communicator. */
    QueryResult query(CollComm comm);
}
