package tutti.coll.recexch;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Parameters of the module, named {@code coll.recexch.} and the element's name; set per job. */
@ObjectClassDefinition(name = "Collectives by recursive exchange", description = "Parameters of collective module recexch, frozen when a job starts")
@interface RecexchParameters {
    /** PID of the metatype declaration. */
    String PID = "coll.recexch";
    /** Smallest radix. */
    int MIN_K = 2;

    /** Returns the radix: how many ranks exchange with each other in a round. */
    @AttributeDefinition(name = "Radix", description = "Ranks that exchange with each other in a round; more make fewer rounds of more messages",
        min = "2")
    int k() default 2;
}
