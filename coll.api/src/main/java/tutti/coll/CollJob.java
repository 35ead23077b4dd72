package tutti.coll;

import java.lang.annotation.Annotation;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/** The properties of a job that a module may read. Immutable and thread-safe. */
@ProviderType
public interface CollJob {

    /** Returns the id of the job, which is unique in the cluster. */
    String id();

    /** Returns the number of ranks in the job, which is the size of COMM_WORLD. */
    int size();

    /** Returns the parameters of the job by dotted name. They are frozen when the job starts, and equal on all ranks. */
    Map<String, String> parameters();

    /**
     * Returns the parameters of a module as an instance of an annotation type. A module declares its parameters as a Metatype object class
     * with PID {@code coll.NAME}, written as an annotation type: parameter {@code coll.ring.segment} is the element {@code segment()} of
     * the type for {@code coll.ring}. Names and values were checked against the declaration when the job was launched.
     *
     * @param pid  PID of the declaration: the parameter names without the last dot and the element's name
     * @param type annotation type that declares the elements and their defaults
     * @return the parameters, with the default where the job does not set one
     */
    <A extends Annotation> A parameters(String pid, Class<A> type);
}
