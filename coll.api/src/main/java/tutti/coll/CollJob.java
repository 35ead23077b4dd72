package tutti.coll;

import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/** What a module may know of a job. Immutable; safe for any thread. */
@ProviderType
public interface CollJob {

    /** The job's id, unique in the cluster. */
    String id();

    /** Ranks of the job. */
    int size();

    /** The thread level that the job runs at. */
    ThreadLevel threadLevel();

    /** The job's parameters, frozen at its start and equal on all ranks: dotted name to value. */
    Map<String, String> parameters();
}
