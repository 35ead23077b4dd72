package com.example.coll.aggregate;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Parameters of the module, set per job: {@code coll.aggregate.} and the name of the element. */
@ObjectClassDefinition(name = "Collectives by a device", description = "Parameters of collective module aggregate, frozen when a job starts")
@interface AggregateParameters {
    /** The PID under which they are declared: {@code coll.} and the module's name. */
    String PID = "coll.aggregate";

    /** Returns the address at which the device serves: one of the host of rank 0 that the other hosts reach. */
    @AttributeDefinition(name = "Host", description = "Address of the device, on the host of rank 0; the default serves nodes of one host")
    String host() default "127.0.0.1";

    /** Returns the module whose algorithm serves the calls that the device does not take. */
    @AttributeDefinition(name = "Others", description = "Module whose allreduce serves the calls that the device does not take")
    String others() default "basic";

    /** Returns the bytes of the largest contribution that the device takes. Another module serves larger calls. */
    @AttributeDefinition(name = "Limit", description = "Bytes of the largest contribution that the device takes", min = "0", max = "1073741824")
    int limit() default 1 << 20;

    /** Returns the number of the collective at which the device breaks down, to show what happens then; 0 for none. */
    @AttributeDefinition(name = "Break down", description = "Number of the collective at which the device breaks down, from 1; 0 for none", min = "0")
    int breakdown() default 0;
}
