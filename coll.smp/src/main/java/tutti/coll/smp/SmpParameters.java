package tutti.coll.smp;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

/** The parameters of the module. Each is named {@code coll.smp.} and the name of the element, and is set per job. */
@ObjectClassDefinition(name = "Collectives in shared memory and over nodes",
    description = "Parameters of collective module smp, frozen when a job starts")
@interface SmpParameters {
    /** The PID under which the parameters are declared. */
    String PID = "coll.smp";
    /** The smallest permitted segment length in bytes. */
    int MIN_SEGMENT = 64;

    /** Returns the number of ranks that release one rank: a power of two up to 64. */
    @AttributeDefinition(name = "Fan-in", description = "Ranks that one rank waits for within a node; a power of two", min = "2", options = {
        @Option("2"), @Option("4"), @Option("8"), @Option("16"), @Option("32"), @Option("64")})
    int fanin() default 8;

    /** Returns the bytes up to which one rank of a node works for all. Beyond them all ranks of the node share the work. */
    @AttributeDefinition(name = "Small data", description = "Bytes up to which one rank of a node works for all; beyond, all share the work",
        min = "0")
    int small() default 262144;

    /** Returns the bytes up to which data within a node is read from a copy, so that its rank need not wait for the readers. At most 4096. */
    @AttributeDefinition(name = "Eager data",
        description = "Bytes up to which data within a node is read from a copy, without waiting for the readers",
        min = "0", max = "4096")
    int eager() default 256;

    /** Returns the largest blocks in bytes that are packed into one message between nodes, in alltoall, gather and scatter. */
    @AttributeDefinition(name = "Packed blocks", description = "Largest blocks in bytes that are packed into a message between nodes",
        min = "0")
    int pack() default 4096;

    /** Returns the bytes that are combined at a time within a node, and that are transferred between nodes as one segment. */
    @AttributeDefinition(name = "Segment length", description = "Bytes that are combined, or transferred between nodes, at a time", min = "64")
    int segment() default 65536;

    /**
     * Returns the names of the levels of locality by which communicators are divided, with commas between them. Each communicator is divided by the
     * innermost of them that divides it; those of its domains and of their leaders are divided further. Beyond a JVM, bcast and allreduce only.
     */
    @AttributeDefinition(name = "Levels", description = "Levels of locality by which communicators are divided, with commas between them: hwthread, "
        + "core, cache, numa, socket, jvm, host, switch, switch2 and so on")
    String levels() default "jvm";
}
