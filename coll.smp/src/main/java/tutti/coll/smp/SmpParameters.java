package tutti.coll.smp;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

/** The parameters of the module, named {@code coll.smp.} and the element's name; set per job. */
@ObjectClassDefinition(name = "Collectives in shared memory and over nodes",
    description = "Parameters of collective module smp, frozen when a job starts")
@interface SmpParameters {
    /** The PID under which they are declared. */
    String PID = "coll.smp";
    /** The shortest segment in bytes. */
    int LEAST_SEGMENT = 64;

    /** How many ranks tell one rank: a power of two up to 64. */
    @AttributeDefinition(name = "Fan-in", description = "Ranks that one rank waits for within a node; a power of two", min = "2", options = {
        @Option("2"), @Option("4"), @Option("8"), @Option("16"), @Option("32"), @Option("64")})
    int fanin() default 8;

    /** Bytes up to which one rank of a node works for all, and beyond which they share the work. */
    @AttributeDefinition(name = "Small data", description = "Bytes that one rank of a node combines or collects for all; of more each takes a part",
        min = "0")
    int small() default 262144;

    /** Bytes of the blocks that one rank of a node puts together, in alltoall, gather and scatter over nodes. */
    @AttributeDefinition(name = "Packed blocks", description = "Bytes of blocks that travel between nodes together in alltoall, gather and scatter",
        min = "0")
    int pack() default 4096;

    /** Bytes that are combined at a time within a node, and that travel as one piece between nodes. */
    @AttributeDefinition(name = "Segment length", description = "Bytes that are combined or passed on between nodes at a time", min = "64")
    int segment() default 65536;
}
