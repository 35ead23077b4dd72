package tutti.coll.dissem;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** The parameters of the module, named {@code coll.dissem.} and the element's name; set per job. */
@ObjectClassDefinition(name = "Dissemination collectives", description = "Parameters of collective module dissem, frozen when a job starts")
@interface DissemParameters {
    /** The PID under which they are declared. */
    String PID = "coll.dissem";
    /** The least radix. */
    int LEAST_K = 2;

    /** The radix: a rank has k-1 partners in a round, and there are as many rounds as the number of ranks has digits to that base. */
    @AttributeDefinition(name = "Radix", description = "Partners in a round and one; more make fewer rounds", min = "2")
    int k() default 2;
}
