package tutti.intercept;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.QueryResult;

/**
 * A module that intercepts the calls of package {@code mpi} in the jobs that name it: {@code -p intercept=profile} uses module
 * {@code intercept.profile}. It is a service under the type {@link CollModule}, whose name begins with {@value #PREFIX}.
 *
 * <p>It is a module as others are: installed, updated and removed while the node runs, and used by a job only if all its nodes have the same
 * version. Its parameters have the PID that is its name: {@code intercept.profile.format}. It offers no collectives. A job may name several,
 * separated by
 * commas: the first is the outermost, so it is told of a call first and of its end last.
 *
 * <p>The calls of the program's classes are intercepted, in all their threads; calls by reflection, and those that Tutti and modules make themselves,
 * are
 * not. A job that names no interceptor runs as if there were none.
 *
 * <p><b>Threads.</b> {@link #begin} is called once per rank, by its thread, before its first intercepted call. Ranks of a node share the module.
 */
@ConsumerType
public interface CallInterceptor extends CollModule {
    /** Begins the names of modules that intercept calls. */
    String PREFIX = "intercept.";
    /** The parameter of a job that names its interceptors, without {@link #PREFIX}. */
    String PARAMETER = "intercept";

    /**
     * Begins to intercept the calls of a rank.
     *
     * @throws Exception if it cannot; the rank's call then fails with the reason
     */
    RankInterceptor begin(InterceptedRank rank) throws Exception;

    /** Declines every communicator: an interceptor offers no collectives. */
    @Override
    default QueryResult query(final CollComm comm) {
        return new QueryResult.Declined("intercepts calls, and offers no collectives");
    }
}
