package tutti.interceptors;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

/** Parameters of the module, set per job: {@code intercept.profile.} and the name of the element. */
@ObjectClassDefinition(name = "Profile", description = "Parameters of interceptor profile, frozen when a job starts")
@interface ProfileParameters {
    /** The PID under which they are declared: the module's name. */
    String PID = ProfileInterceptor.MODULE;

    /** Returns the format of the report. */
    @AttributeDefinition(name = "Format", description = "Format of the report", options = {@Option("text"), @Option("json"), @Option("svg")})
    String format() default "text";

    /** Returns the file of the report, on the node of rank 0; empty for the job's error output. */
    @AttributeDefinition(name = "File", description = "File of the report on the node of rank 0; empty for the error output", required = false)
    String file() default "";

    /** Returns the number of call sites in the report. */
    @AttributeDefinition(name = "Sites", description = "Call sites in the report, those with most time first", min = "1")
    int sites() default 20;
}
