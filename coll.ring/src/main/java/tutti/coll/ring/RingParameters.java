package tutti.coll.ring;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Parameters of the module, named {@code coll.ring.} and the element's name; set per job. */
@ObjectClassDefinition(name = "Ring collectives", description = "Parameters of collective module ring, frozen when a job starts")
@interface RingParameters {
    /** PID of the metatype declaration. */
    String PID = "coll.ring";
    /** Length of the shortest segment in bytes. */
    int MIN_SEGMENT = 64;
    /** Smallest {@link #throttle()}. */
    int MIN_THROTTLE = 1;

    /** Returns the length in bytes of a message where a block is longer; segments are longer where there would be too many of them. */
    @AttributeDefinition(name = "Segment length", description = "Bytes per message; longer blocks are divided and pipelined", min = "64")
    int segment() default 65536;

    /** Returns how many sends, and how many receives, of an alltoall a rank has in progress at once. */
    @AttributeDefinition(name = "Throttle", description = "Messages of an alltoall that a rank sends, and receives, at once", min = "1")
    int throttle() default 8;
}
