package tutti.interceptors;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Parameters of the module, set per job: {@code intercept.chaos.} and the name of the element. */
@ObjectClassDefinition(name = "Chaos", description = "Parameters of interceptor chaos, frozen when a job starts")
@interface ChaosParameters {
    /** The PID under which they are declared: the module's name. */
    String PID = ChaosInterceptor.MODULE;

    /** Returns the seed: the same one gives the same delays and errors of each thread's calls, in their order. */
    @AttributeDefinition(name = "Seed", description = "Seed of delays and errors")
    long seed() default 1;

    /** Returns how many of a thousand calls are delayed. */
    @AttributeDefinition(name = "Delays", description = "Delayed calls of a thousand", min = "0", max = "1000")
    int delays() default 100;

    /** Returns the longest delay in microseconds. */
    @AttributeDefinition(name = "Longest delay", description = "Longest delay in microseconds", min = "1", max = "10000000")
    int micros() default 1000;

    /** Returns how many of a thousand calls are refused with an error. */
    @AttributeDefinition(name = "Errors", description = "Refused calls of a thousand", min = "0", max = "1000")
    int errors() default 0;

    /** Returns the only operation to disturb; empty for all. */
    @AttributeDefinition(name = "Operation", description = "The only operation to disturb, such as allReduce; empty for all", required = false)
    String operation() default "";
}
