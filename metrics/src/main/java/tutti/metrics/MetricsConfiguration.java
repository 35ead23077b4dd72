package tutti.metrics;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Attributes of configuration {@code tutti.metrics}. One that it lacks is read from the framework property {@code tutti.metrics.ATTRIBUTE}. */
@ObjectClassDefinition(id = NodeMetrics.PID, name = "Tutti metrics", description = "The page for Prometheus of this container's node.")
@interface MetricsConfiguration {
    /** The address on which the page is served by default. */
    String LISTEN = "127.0.0.1:9464";

    @AttributeDefinition(name = "Listen", description = "address of the page, HOST:PORT; port 0 is any free port", required = false)
    String listen() default LISTEN;

    @AttributeDefinition(name = "Insecure", description = "whether the page may be served beyond loopback, to everybody who reaches the address",
        required = false)
    boolean insecure() default false;
}
