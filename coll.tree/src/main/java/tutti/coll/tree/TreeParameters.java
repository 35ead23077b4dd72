package tutti.coll.tree;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** The parameters of the module, named {@code coll.tree.} and the element's name; set per job. */
@ObjectClassDefinition(name = "Tree collectives", description = "Parameters of collective module tree, frozen when a job starts")
@interface TreeParameters {
    /** The PID under which they are declared. */
    String PID = "coll.tree";
    /** The least {@link #k()} and {@link #branches()}. */
    int LEAST_K = 2;
    /** The shortest segment in bytes. */
    int LEAST_SEGMENT = 64;
    /** The least {@link #window()}. */
    int LEAST_WINDOW = 1;

    /** The radix of k-nomial trees: how many times the ranks reached grow in a level. */
    @AttributeDefinition(name = "Radix", description = "Radix of k-nomial trees; with powers of two reductions are canonical", min = "2")
    int k() default 4;

    /** The most children of a rank in k-ary trees. */
    @AttributeDefinition(name = "Branches", description = "Most children of a rank in k-ary trees", min = "2")
    int branches() default 2;

    /** Bytes that travel as one message where the data is longer; longer segments are taken where there would be too many of them. */
    @AttributeDefinition(name = "Segment length", description = "Bytes per message; data that is longer is cut and pipelined", min = "64")
    int segment() default 32768;

    /** The most blocks that the root of gatherv receives, or of scatterv sends, at once. */
    @AttributeDefinition(name = "Window", description = "Most blocks that the root of gatherv or scatterv moves at once", min = "1")
    int window() default 8;
}
