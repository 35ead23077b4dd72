package tutti.coll.tree;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Parameters of the module, named {@code coll.tree.} and the element's name; set per job. */
@ObjectClassDefinition(name = "Tree collectives", description = "Parameters of collective module tree, frozen when a job starts")
@interface TreeParameters {
    /** PID of the metatype declaration. */
    String PID = "coll.tree";
    /** Smallest {@link #k()} and {@link #branches()}. */
    int MIN_K = 2;
    /** Length of the shortest segment in bytes. */
    int MIN_SEGMENT = 64;
    /** Smallest {@link #throttle()}. */
    int MIN_THROTTLE = 1;

    /** Returns the radix of k-nomial trees: the factor by which the number of reached ranks grows in a level. */
    @AttributeDefinition(name = "Radix", description = "Radix of k-nomial trees; with powers of two reductions are canonical", min = "2")
    int k() default 4;

    /** Returns the largest number of children of a rank in k-ary trees. */
    @AttributeDefinition(name = "Branches", description = "Most children of a rank in k-ary trees", min = "2")
    int branches() default 2;

    /** Returns the length in bytes of a message where the data is longer; segments are longer where there would be too many of them. */
    @AttributeDefinition(name = "Segment length", description = "Bytes per message; longer data is divided and pipelined", min = "64")
    int segment() default 32768;

    /** Returns how many blocks the root of gatherv receives, or of scatterv sends, at once. */
    @AttributeDefinition(name = "Throttle", description = "Most blocks that the root of gatherv or scatterv transfers at once", min = "1")
    int throttle() default 8;
}
