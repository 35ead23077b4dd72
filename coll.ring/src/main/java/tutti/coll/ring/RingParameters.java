package tutti.coll.ring;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** The parameters of the module, named {@code coll.ring.} and the element's name; set per job. */
@ObjectClassDefinition(name = "Ring collectives", description = "Parameters of collective module ring, frozen when a job starts")
@interface RingParameters {
    /** The PID under which they are declared. */
    String PID = "coll.ring";
    /** The shortest segment in bytes. */
    int LEAST_SEGMENT = 64;
    /** The smallest window. */
    int LEAST_WINDOW = 1;

    /** Bytes that travel as one message where a block is longer; longer segments are taken where there would be too many of them. */
    @AttributeDefinition(name = "Segment length", description = "Bytes per message; blocks that are longer are cut and pipelined", min = "64")
    int segment() default 65536;

    /** Steps of an alltoall that are under way at once. */
    @AttributeDefinition(name = "Window", description = "Messages of an alltoall that a rank sends, and receives, at once", min = "1")
    int window() default 8;
}
