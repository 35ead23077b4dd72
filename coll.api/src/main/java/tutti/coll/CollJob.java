package tutti.coll;

import java.lang.annotation.Annotation;
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

    /**
     * A module's own parameters, typed. A module declares them as a Metatype object class whose PID is {@code coll.NAME}, written as
     * an annotation type: parameter {@code coll.ring.segment} is the element {@code segment()} of the type that goes with
     * {@code coll.ring}. Names and values were checked against the declaration when the job was launched.
     *
     * @param pid  what stands before the dot and the element's name
     * @param type annotation type that declares the elements with their defaults
     */
    <A extends Annotation> A parameters(String pid, Class<A> type);
}
