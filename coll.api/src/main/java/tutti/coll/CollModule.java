package tutti.coll;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A collective module: a Declarative Service that a bundle publishes, annotated with {@link ProvidesCollectives}.
 *
 * <p>The runtime calls {@link #query} once on each rank for every new communicator, including COMM_WORLD, COMM_SELF and the hidden ones that modules
 * create. The exception is a duplicate of a communicator whose instances {@linkplain CollInstance#servesDuplicates serve duplicates}: it uses these,
 * and modules that declined are not asked again.
 *
 * <p>A module keeps the state of a job in the {@link CollInstance}s that it returns, and nowhere else. Its methods may be called by several
 * threads at the same time. An exception or error from {@link #query} excludes the module from that communicator, on all its ranks. The reason is
 * reported together with the module's name and version.
 */
@ConsumerType
public interface CollModule {
    /** Service property: the module's name, for example {@code ring}. String; required. */
    String NAME = "coll.name";
    /** Service property: the module's version. String in OSGi's syntax; the default is the bundle's version. */
    String VERSION = "coll.version";

    /**
     * Decides whether the module can serve a communicator, and with which priority. All ranks of the communicator call it.
     *
     * @param comm the new communicator; the module may exchange messages on it until this method returns
     * @return {@link QueryResult.Usable} or {@link QueryResult.Declined}, never null
     */
    QueryResult query(CollComm comm);
}
