package tutti.coll.dissem;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Parameters of the module, set per job: {@code coll.dissem.} and the name of the element. */
@ObjectClassDefinition(name = "Dissemination collectives", description = "Parameters of collective module dissem, frozen when a job starts")
@interface DissemParameters {
    /** The PID under which they are declared. */
    String PID = "coll.dissem";
    /** The minimum radix. */
    int MIN_K = 2;

    /** Returns the radix k: a rank has k-1 partners in a round, and the number of rounds is ⌈log_k p⌉ for p ranks. */
    @AttributeDefinition(name = "Radix", description = "Partners per round plus one; a larger radix takes fewer rounds", min = "2")
    int k() default 2;
}
