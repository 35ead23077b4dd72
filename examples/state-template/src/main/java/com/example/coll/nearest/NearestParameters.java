package com.example.coll.nearest;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Parameters of the module, set per job: {@code coll.nearest.} and the name of the element. */
@ObjectClassDefinition(name = "Broadcasts in a measured order", description = "Parameters of collective module nearest, frozen when a job starts")
@interface NearestParameters {
    /** The PID under which they are declared: {@code coll.} and the module's name. */
    String PID = "coll.nearest";

    /** Returns the size of the largest communicator that the module measures. The next module in order serves larger ones. */
    @AttributeDefinition(name = "Maximum ranks", description = "Largest communicator that the module measures; 0 for none", min = "0")
    int ranks() default 16;

    /** Returns the bytes that a rank passes on at a time. */
    @AttributeDefinition(name = "Segment length", description = "Bytes that a rank passes on at a time", min = "64")
    int segment() default 65536;

    /** Returns the bytes of the longest broadcast. Longer ones fail, because a plan has tasks for each segment. */
    @AttributeDefinition(name = "Limit", description = "Bytes of the longest broadcast; longer ones fail with MPI.ERR_COUNT", min = "0")
    long limit() default 1L << 28;

    /** Returns whether only ranks use the module whose other threads cannot disturb a measurement, see {@link NearestModule#threads}. */
    @AttributeDefinition(name = "Quiet", description = "Serve no ranks of thread level MULTIPLE, whose other threads disturb the measurement")
    boolean quiet() default false;
}
