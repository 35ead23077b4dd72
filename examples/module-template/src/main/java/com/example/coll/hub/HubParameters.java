package com.example.coll.hub;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Parameters of the module, set per job: {@code coll.hub.} and the name of the element. */
@ObjectClassDefinition(name = "Hub collectives", description = "Parameters of collective module hub, frozen when a job starts")
@interface HubParameters {
    /** The PID under which they are declared: {@code coll.} and the module's name. */
    String PID = "coll.hub";

    /** Returns the size of the largest communicator on which the module broadcasts. The next module in order serves larger ones. */
    @AttributeDefinition(name = "Maximum ranks", description = "Largest communicator on which the module broadcasts; 0 for none", min = "0")
    int ranks() default 8;
}
